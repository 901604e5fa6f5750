import { partIn } from '../crypto/credential.ts';

/**
 * An application that is larger than a worker of a Citus cluster is spread over parts (GATEHOUSE_CITUS_SPREAD). The column `app` of
 * the tables that platform/store/citus/placement.ts distributes by it then has the part, `shop#3`: parts are on different shards as applications are,
 * and every operation on a token family still goes to one worker. `session_clients` has the application itself where no token was issued
 * (`noteSessionClient`). A credential says itself which part it is in (people/password/store.ts), so that the setting can change at any time. No
 * code of an application contains the mark.
 *
 * All other tables, and all other stores, have the application itself.
 */
const MARK = '#';

/** The value of `app` in a table that is distributed by application: the code of the application, on Citus perhaps with its part. */
export type StoredApp = string & { readonly storedApp: never };

/** What follows the application, in the part that has the credential with this key. Empty: the application is not spread. */
export function partSuffix(key: Uint8Array): string {
  const part = partIn(key);
  return part === undefined ? '' : MARK + part;
}

/** The application of a part. */
export function applicationOf(part: StoredApp): string {
  return part.split(MARK, 1)[0] as string;
}

/** SQL of PostgreSQL: the application of a part. */
export function applicationOfPart(part: string): string {
  return `split_part(${part}, '${MARK}', 1)`;
}
