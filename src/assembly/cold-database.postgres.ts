import { LOCK_VERSION, NEXT_VERSION } from '../directory/applications/registry-version.postgres.ts';
import { DELETE_ACCESS_TOKENS, deleteUser } from '../directory/users/delete.postgres.ts';
import { denyApprovedBy } from '../oauth/polled-grant/postgres.ts';
import { revokeCodes, revokeGrants } from '../oauth/token/grants.postgres.ts';
import { dropExchangedOf } from '../oauth/token-exchange/postgres.ts';
import { withdrawConsent } from '../people/consent/postgres.ts';
import { endOtherSessions, endSession, endUserAccess } from '../people/sessions/postgres.ts';
import { onAllParts } from '../platform/store/citus/parts.ts';
import { arrayLiteral } from '../platform/store/postgres/array-literal.ts';
import type { Database } from '../platform/store/postgres/database.ts';
import { isUniqueViolation } from '../platform/store/postgres/faults.ts';
import { clientLock, takeLocks, userLock } from '../platform/store/postgres/locks.ts';
import { type Run, type Statement, statement, type Value } from '../platform/store/postgres/statement.ts';
import type { Row } from '../platform/store/row.ts';
import { type Dialect, type Query, render } from '../platform/store/sql.ts';
import { type BulkTable, type ColdDatabase, KeyTaken, type OwnSteps, type Steps } from '../platform/store/steps.ts';

type ToStatement = (query: Query) => [Statement, readonly Value[]];

const dialect = {
  placeholder: (number: number) => `$${number}`,
  among: (placeholder: string) => `= ANY (${placeholder}::text[])`,
  table: (placeholder: string) => `unnest(${placeholder}::text[]) AS listed (value)`,
};

function statementsFor(store: Dialect['store']): ToStatement {
  return query => {
    const { text, values } = render(query, { ...dialect, store });
    return [statement(text), values];
  };
}

/** Runs what the capabilities write once for all stores (queries.ts). */
export function coldDatabase(db: Database): ColdDatabase {
  const toStatement = statementsFor(db.isCitus ? 'citus' : 'postgres');
  const inSteps =
    <T>(steps: () => Steps<T>) =>
    (run: Run) =>
      finish(steps(), run, toStatement);
  return {
    read: query => db.read(...toStatement(query)),
    write: query => db.write(...toStatement(query)),
    transaction: steps => db.transaction(inSteps(steps)),
    longTransaction: steps => db.longTransaction(inSteps(steps)),
    erasingTransaction: steps => db.longTransaction(inSteps(steps)),
    eraseUsers: async heldTokens => {
      // Without a timeout: it reads all access tokens, which are those of the last hour by default.
      if (heldTokens.length > 0) await db.longTransaction(run => run(DELETE_ACCESS_TOKENS, [heldTokens]));
    },
    own: { ...own, hasPasswordTriggers: !db.isCitus },
  };
}

async function finish<T>(steps: Steps<T>, run: Run, toStatement: ToStatement): Promise<T> {
  let next = steps.next();
  while (!next.done) {
    if ('native' in next.value) {
      await next.value.native(run as never);
      next = steps.next([]);
    } else {
      next = steps.next(await Promise.all(next.value.map(query => run(...toStatement(query)))));
    }
  }
  return next.value;
}

const REVOKE_CODES = onAllParts(app => revokeCodes(`${app} = $2 AND client_id = $3`));
const denyApproved = denyApprovedBy('app = $1 AND client_id = $2');
const REVOKE_GRANTS = onAllParts(app => revokeGrants(`${app} = $2 AND client_id = $3`));
const REVOKE_GRANT = revokeGrants('app = $2 AND grant_id = $3');

/** One statement with an array for each column. Without ON CONFLICT, which would make it a third slower. */
function insertStatement({ name, columns }: BulkTable): Statement {
  const names = Object.keys(columns);
  const arrays = Object.values(columns).map((type, index) => `$${index + 1}::${type}[]`);
  return statement(`INSERT INTO ${name} (${names.join(', ')}) SELECT * FROM unnest(${arrays.join(', ')})`);
}

const own: Omit<OwnSteps, 'hasPasswordTriggers'> = {
  insertRows: (table, rows) =>
    native(async run => {
      const arrays = Object.keys(table.columns).map((_, column) => arrayLiteral(rows.map(row => row[column] ?? null)));
      try {
        await run(insertStatement(table), arrays);
      } catch (error) {
        // The error of the server has the values of the row.
        throw isUniqueViolation(error) ? new KeyTaken(table.name) : error;
      }
    }),
  lockRegistry: () => native(run => run(LOCK_VERSION)),
  registryChanged: () => native(run => run(NEXT_VERSION)),
  lockUsers: subs => native(run => takeLocks(run, { alone: subs.map(userLock) })),
  lockClient: (app, clientId) => native(run => takeLocks(run, { alone: [clientLock(app, clientId)] })),
  endUserAccess: (sub, now) => native(run => endUserAccess(run, sub, now)),
  endSession: (sub, sid, now) => native(run => endSession(run, { sub, sid }, now)),
  *endOtherSessions(sub, keptSid, now) {
    let ended: readonly string[] = [];
    yield* native(async run => {
      ended = await endOtherSessions(run, sub, keptSid, now);
    });
    return ended;
  },
  withdrawConsent: (sub, app, clientId, now) => native(run => withdrawConsent(run, sub, app, clientId, now)),
  *revokeGrant(app, grantId, now) {
    let revoked: readonly Row[] = [];
    yield* native(async run => {
      revoked = await run(REVOKE_GRANT, [now, app, grantId]);
    });
    return revoked.length > 0;
  },
  deleteUser: sub => native(run => deleteUser(run, sub)),
  endClientAccess: (app, clientId, now) =>
    native(async run => {
      // Codes before grants: the first statement waits for redemptions that are running, and the second then sees their grants.
      await run(REVOKE_CODES, [now, app, clientId]);
      await run(REVOKE_GRANTS, [now, app, clientId]);
      await dropExchangedOf(run, app, clientId);
      await denyApproved(run, [app, clientId]);
    }),
};

function* native(work: (run: Run) => Promise<unknown>): Steps<void> {
  yield { native: work };
}
