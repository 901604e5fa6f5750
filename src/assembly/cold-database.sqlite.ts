import { prepareDeleteUser, prepareEraseUsers } from '../directory/users/delete.sqlite.ts';
import { prepareRevokeCodes } from '../oauth/authorization-code/revoke.sqlite.ts';
import { prepareDenyApproved } from '../oauth/polled-grant/sqlite.ts';
import { prepareDropExchanged } from '../oauth/token-exchange/sqlite.ts';
import { prepareWithdrawConsent } from '../people/consent/sqlite.ts';
import { prepareEndOtherSessions, prepareEndSession, prepareEndUserAccess } from '../people/sessions/sqlite.ts';
import type { Row } from '../platform/store/row.ts';
import { type Dialect, type Parameter, type Query, render, sql } from '../platform/store/sql.ts';
import type { Database, Statement } from '../platform/store/sqlite/database.ts';
import {
  type BulkTable,
  type ColdDatabase,
  KeyTaken,
  type OwnSteps,
  rowsOf,
  type Steps,
} from '../platform/store/steps.ts';

const dialect: Dialect = {
  store: 'sqlite',
  placeholder: () => '?',
  among: placeholder => `IN (SELECT value FROM json_each(${placeholder}))`,
  table: placeholder => `json_each(${placeholder}) AS listed`,
};

/** Runs what the capabilities write once for all stores (queries.ts). A transaction is a write of the commit group: its steps run without a pause. */
export function coldDatabase(db: Database): ColdDatabase {
  const run = prepareRun(db);
  const transaction = <T>(steps: () => Steps<T>) => db.write(() => finish(steps(), run));
  return {
    read: query => db.read(() => run(query)),
    write: query => db.write(() => run(query)),
    transaction,
    longTransaction: transaction,
    erasingTransaction: async steps => {
      const erased = await db.write(() => db.overwritingDeleted(() => finish(steps(), run)));
      if (erased.length > 0) db.emptyWal();
      return erased;
    },
    eraseUsers: prepareEraseUsers(db),
    own: ownSteps(db),
  };
}

/** Prepares each statement when it is first needed. Their number is that of the operations' texts, so the map stays small. */
function prepareRun(db: Database): (query: Query) => Row[] {
  const prepared = new Map<string, Statement>();
  return query => {
    const { text, values } = render(query, dialect);
    const statement = prepared.get(text) ?? db.prepare(text);
    prepared.set(text, statement);
    return statement.all(...values.map(toSqlite)) as Row[];
  };
}

function toSqlite(value: Parameter): string | number | Uint8Array | null {
  if (typeof value === 'boolean') return value ? 1 : 0;
  return typeof value === 'object' && isList(value) ? JSON.stringify(value) : value;
}

function isList(value: Parameter & (object | null)): value is readonly string[] {
  return Array.isArray(value);
}

function finish<T>(steps: Steps<T>, run: (query: Query) => Row[]): T {
  let next = steps.next();
  while (!next.done) {
    if ('native' in next.value) throw new Error('a step of another store');
    next = steps.next(next.value.map(run));
  }
  return next.value;
}

/** SQLite has one writer at a time, so no locks are needed. */
function ownSteps(db: Database): OwnSteps {
  const endUserAccess = prepareEndUserAccess(db);
  const endSession = prepareEndSession(db);
  const endOtherSessions = prepareEndOtherSessions(db);
  const withdrawConsent = prepareWithdrawConsent(db);
  const deleteUser = prepareDeleteUser(db);
  const revokeCodes = prepareRevokeCodes(db, 'app = ? AND client_id = ?');
  const dropExchanged = prepareDropExchanged(db, 'client_id = ?2');
  const denyApproved = prepareDenyApproved(db, 'app = ? AND client_id = ?');
  const bulk = new Map<BulkTable, Statement>();
  return {
    hasPasswordTriggers: true,
    insertRows: (table, rows) => {
      const insert = bulk.get(table) ?? prepareInsert(db, table);
      bulk.set(table, insert);
      db.enlargeCache();
      for (const row of rows) if (insert.run(...row.map(toSqlite)).changes === 0) throw new KeyTaken(table.name);
      return noSteps();
    },
    lockRegistry: noSteps,
    lockUsers: noSteps,
    lockClient: noSteps,
    *registryChanged() {
      yield* rowsOf(sql`UPDATE registry_version SET version = version + 1`);
    },
    endUserAccess: (sub, now) => {
      endUserAccess(sub, now);
      return noSteps();
    },
    endSession: (sub, sid, now) => {
      endSession({ sub, sid }, now);
      return noSteps();
    },
    // biome-ignore lint/correctness/useYield: the steps of this store run at once
    *endOtherSessions(sub, keptSid, now) {
      return endOtherSessions(sub, keptSid, now);
    },
    withdrawConsent: (sub, app, clientId, now) => {
      withdrawConsent(sub, app, clientId, now);
      return noSteps();
    },
    *revokeGrant(app, grantId, now) {
      const revoked = yield* rowsOf(sql`UPDATE grants SET revoked_at = ${now}
        WHERE app = ${app} AND grant_id = ${grantId} AND revoked_at IS NULL RETURNING 1`);
      return revoked.length > 0;
    },
    deleteUser: sub => {
      deleteUser(sub);
      return noSteps();
    },
    *endClientAccess(app, clientId, now) {
      yield* rowsOf(
        sql`UPDATE grants SET revoked_at = ${now} WHERE app = ${app} AND client_id = ${clientId} AND revoked_at IS NULL`,
      );
      revokeCodes(now, app, clientId);
      dropExchanged(app, clientId);
      denyApproved(app, clientId);
    },
  };
}

function prepareInsert(db: Database, { name, columns }: BulkTable): Statement {
  const names = Object.keys(columns);
  const values = names.map(() => '?').join(', ');
  return db.prepare(`INSERT INTO ${name} (${names.join(', ')}) VALUES (${values}) ON CONFLICT DO NOTHING`);
}

function* noSteps(): Steps<void> {}
