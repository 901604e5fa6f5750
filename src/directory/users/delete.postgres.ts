import { type Run, statement } from '../../platform/store/postgres/statement.ts';

/** References to users with ON DELETE CASCADE delete the rest: login names, credentials, consents, the role of an operator. */
const DELETE = ['codes', 'grants', 'users'].map(table => statement(`DELETE FROM ${table} WHERE sub = $1`));

export async function deleteUser(run: Run, sub: string): Promise<void> {
  for (const each of DELETE) await run(each, [sub]);
}

/** They have no index by user, because issuing one must stay cheap. revoked_grants makes them dead already. */
export const DELETE_ACCESS_TOKENS = statement('DELETE FROM access_tokens WHERE sub = ANY ($1::text[])');
