import type { StoredApp } from '../../platform/store/application-parts.ts';
import { partOf } from '../../platform/store/citus/parts.ts';
import type { Database } from '../../platform/store/postgres/database.ts';
import { clientLock, takeLocks, userLock } from '../../platform/store/postgres/locks.ts';
import type { Partitions } from '../../platform/store/postgres/partitions.ts';
import { type Run, type Statement, statement } from '../../platform/store/postgres/statement.ts';
import { issueOutcome } from '../token/grants.postgres.ts';
import { ADD_GRANT, grantValues, placesOf } from '../token/postgres.ts';
import type { NewTokens, TokenFamily } from '../token/store.ts';
import { denyApproved, type PolledTable } from './queries.ts';
import type { Redeem } from './store.ts';

/** Takes the values of the condition. */
export function denyApprovedBy(condition: string): (run: Run, values: readonly string[]) => Promise<void> {
  const statements = denyApproved(condition).map(text => statement(text));
  return async (run, values) => {
    await Promise.all(statements.map(each => run(each, values)));
  };
}

interface Statements {
  readonly spend: Statement;
  readonly redeemedBy: Statement;
}

function statementsFor({ name, key }: PolledTable): Statements {
  return {
    spend: statement(
      `UPDATE ${name} SET state = 'redeemed', grant_id = $1
       WHERE ${key} = $2 AND app = $3 AND client_id = $4 AND sub = $5 AND state = 'approved' AND expires_at > $6
         AND EXISTS (SELECT 1 FROM users WHERE sub = $5 AND NOT disabled)
         AND EXISTS (SELECT 1 FROM clients WHERE app = $3 AND client_id = $4)
       RETURNING 1`,
    ),
    redeemedBy: statement(`SELECT 1 FROM ${name} WHERE ${key} = $1 AND grant_id = $2`),
  };
}

const CLIENT = statement('SELECT EXISTS (SELECT 1 FROM clients WHERE app = $1 AND client_id = $2) AS known');

export function redeemOf(db: Database, partitions: Partitions, table: PolledTable): Redeem {
  const statements = statementsFor(table);
  return async (app, hash, family, tokens) => {
    const operation = db.operation();
    const part = partOf(db, app, tokens.access.hash);
    return partitions.writing(operation, placesOf(tokens), () =>
      operation.transaction(run => redeem(run, statements, { app, part }, hash, family, tokens)),
    );
  };
}

/** The locks are shared with everything that ends the access of the user or the client, so that it sees these tokens or prevents them. */
async function redeem(
  run: Run,
  { spend, redeemedBy }: Statements,
  { app, part }: { readonly app: string; readonly part: StoredApp },
  hash: Uint8Array,
  family: TokenFamily,
  tokens: NewTokens,
) {
  const { clientId, sub } = family;
  await takeLocks(run, { shared: [userLock(sub), clientLock(app, clientId)] });
  const { grantId, issuedAt } = tokens;
  const spent = await run(spend, [grantId, hash, app, clientId, sub, issuedAt]);
  if (spent.length > 0) {
    await run(ADD_GRANT, grantValues(part, family, tokens, undefined));
    return 'redeemed';
  }
  // An earlier attempt of this call succeeded and its answer was lost: no other call knows this grantId.
  if ((await run(redeemedBy, [hash, grantId])).length > 0) return 'redeemed';
  return issueOutcome(await run(CLIENT, [app, clientId])) === 'clientGone' ? 'clientGone' : 'gone';
}
