import { RolledBack } from '../../platform/store/faults.ts';
import { optionalNumber, type Row } from '../../platform/store/row.ts';
import { among, type Query, sql } from '../../platform/store/sql.ts';
import { rowsOfEach, type Steps } from '../../platform/store/steps.ts';
import type { HeldPasskey, PasskeyKey, PasskeyRecord, PasskeyTaken } from './store.ts';

/** Passkeys as rows of credentials, and whose they are. */
export const PASSKEY_COLUMNS = sql`c.id, c.data, c.name, c.sign_count, c.backed_up, c.created_at, c.last_used_at`;

/** Does nothing where this or another user has it. */
export function insertPasskey(sub: string, passkey: PasskeyRecord, now: number): Query {
  const { id, name, signCount, isBackedUp } = passkey;
  return sql`INSERT INTO credentials (sub, id, kind, data, created_at, name, sign_count, backed_up)
    VALUES (${sub}, ${id}, 'passkey', ${keyText(passkey)}, ${now}, ${name}, ${signCount}, ${isBackedUp})
    ON CONFLICT DO NOTHING`;
}

export function keyText({ credentialId, publicKey, transports, isSyncable, userHandle }: PasskeyKey): string {
  return JSON.stringify({ credentialId, publicKey, transports, isSyncable, userHandle } satisfies PasskeyKey);
}

export function toHeldPasskey(row: Row): HeldPasskey {
  return {
    ...(JSON.parse(row.data as string) as PasskeyKey),
    id: row.id as string,
    name: row.name as string,
    signCount: Number(row.sign_count),
    isBackedUp: Boolean(row.backed_up),
    createdAt: Number(row.created_at),
    lastUsedAt: optionalNumber(row.last_used_at),
  };
}

/** Rolls back the transaction; `unlessPasskeyTaken` turns it into an outcome. */
class PasskeyOfAnother extends RolledBack {
  readonly outcome: PasskeyTaken;
  constructor(outcome: PasskeyTaken) {
    super('a passkey belongs to another user');
    this.outcome = outcome;
  }
}

export async function unlessPasskeyTaken<T>(transaction: Promise<T>): Promise<T | PasskeyTaken> {
  try {
    return await transaction;
  } catch (error) {
    if (error instanceof PasskeyOfAnother) return error.outcome;
    throw error;
  }
}

/** The passkeys that a user is to have. */
export interface WantedPasskeys {
  readonly sub: string;
  readonly passkeys: readonly PasskeyRecord[];
}

/** A passkey never moves from one user to another: its owner would sign in as somebody else. `released`: users that are deleted. */
export function* refuseTakenPasskeys(users: readonly WantedPasskeys[], released: readonly string[] = []): Steps<void> {
  const owners = yield* passkeyOwners(users.flatMap(({ passkeys }) => passkeys));
  for (const { sub, passkeys } of users) {
    for (const { id } of passkeys) {
      const owner = owners.get(id);
      if (owner === undefined || owner.sub === sub || released.includes(owner.sub)) continue;
      throw new PasskeyOfAnother({ kind: 'passkeyTaken', id, username: owner.username });
    }
  }
}

export interface PasskeyOwnerName {
  readonly sub: string;
  readonly username: string;
}

/** By the id of the passkey. */
export function* passkeyOwners(passkeys: readonly PasskeyRecord[]): Steps<ReadonlyMap<string, PasskeyOwnerName>> {
  const rows = yield* rowsOfEach(
    passkeys.map(({ id }) => id),
    some => sql`SELECT c.id, c.sub, u.username FROM credentials c JOIN users u ON u.sub = c.sub
      WHERE c.kind = 'passkey' AND c.id ${among(some)}`,
  );
  return new Map(
    rows.map(({ id, sub, username }) => [id as string, { sub: sub as string, username: username as string }]),
  );
}
