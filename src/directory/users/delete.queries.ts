import { refuseLastOwner } from '../../operators/roles/last-owner.queries.ts';
import { sql } from '../../platform/store/sql.ts';
import { type OwnSteps, rowsOf, runAll, type Steps } from '../../platform/store/steps.ts';
import { forgetUsers } from './search-index.queries.ts';

/** Returns whether the user may have held codes and access tokens, which `eraseUsers` deletes after the transaction. */
export function* deleteUser(own: OwnSteps, sub: string, now: number): Steps<boolean> {
  yield* refuseLastOwner([sub]);
  const heldTokens = yield* mayHoldTokens(sub);
  yield* own.endUserAccess(sub, now);
  yield* runAll(forgetUsers([sub], now));
  yield* own.deleteUser(sub);
  return heldTokens;
}

/** Every code comes from a session or a grant, and every access token from a grant. */
function* mayHoldTokens(sub: string): Steps<boolean> {
  const [row] = yield* rowsOf(
    sql`SELECT EXISTS (SELECT 1 FROM sessions WHERE sub = ${sub}) OR EXISTS (SELECT 1 FROM grants WHERE sub = ${sub}) AS found`,
  );
  return Boolean(row?.found);
}
