import type { CopyTable } from '../../platform/store/table.ts';
import { DEMO } from '../demo/demo.ts';
import type { CopyRow, CopySource, CopyValue } from './store.ts';

/**
 * The source without the demo of an empty store: its application, and its user, whose password the log shows. What refers to them is
 * left out with them; the audit log alone stays whole.
 */
export interface WithoutDemo {
  readonly source: CopySource;
  /** For the operator: what is left out, and what is taken along although it is called demo. */
  readonly notes: readonly string[];
}

export async function withoutDemo(source: CopySource, tables: readonly CopyTable[]): Promise<WithoutDemo> {
  let demo = await findDemo(source, tables);
  const notes = notesOn(demo);
  return {
    notes,
    source: {
      ...source,
      rows: (table, after) => remaining(source, table, demo, after),
      refresh: async () => {
        await source.refresh();
        demo = await findDemo(source, tables);
      },
    },
  };
}

interface Demo {
  readonly app: Found;
  readonly user: Found;
  /** Column by column, the values that only a row of the demo has. */
  readonly marks: Readonly<Record<string, ReadonlySet<CopyValue>>>;
}

/** `changed`: somebody has made something of their own of it. */
type Found = 'demo' | 'changed' | undefined;

function notesOn({ app, user }: Demo): string[] {
  const left = [app === 'demo' && 'the application demo with its client', user === 'demo' && 'the user demo'];
  const named = left.filter(each => each !== false);
  return [
    ...(named.length > 0 ? [`left out: ${named.join(', and ')} (--with-demo copies them too)`] : []),
    ...(app === 'changed' ? ['the application demo has other clients than the one of the demo, and is copied'] : []),
    ...(user === 'changed' ? ['the user demo is an operator, or has another address, and is copied'] : []),
  ];
}

/** No part of the audit log is left out, or its chain would be broken. */
const WHOLE = ['events', 'event_chain'];

async function* remaining(source: CopySource, table: CopyTable, { marks }: Demo, after?: CopyRow) {
  const checks = WHOLE.includes(table.name) ? [] : checksOf(table, marks);
  for await (const rows of source.rows(table, after)) {
    const kept = checks.length === 0 ? rows : rows.filter(row => !checks.some(isDemo => isDemo(row)));
    if (kept.length > 0) yield kept;
  }
}

function checksOf({ name, columns }: CopyTable, marks: Demo['marks']): ((row: CopyRow) => boolean)[] {
  return columns.flatMap((column, index) => {
    const values = marks[name === 'applications' && column.name === 'code' ? 'app' : column.name];
    return values && values.size > 0 ? [(row: CopyRow) => values.has(row[index] ?? null)] : [];
  });
}

async function findDemo(source: CopySource, tables: readonly CopyTable[]): Promise<Demo> {
  const read = reader(source, tables);
  const app = await application(read);
  const { user, sub } = await demoUser(read);
  const isOfApp = (row: Row) => app === 'demo' && row.app === DEMO.app;
  const isOfUser = (row: Row) => user === 'demo' && row.sub === sub;
  const everyOf = async (name: string, column: string, isOf: (row: Row) => boolean, found: Found) =>
    new Set(found === 'demo' ? await valuesOf(read(name), column, isOf) : []);
  return {
    app,
    user,
    marks: {
      app: new Set(app === 'demo' ? [DEMO.app] : []),
      sub: new Set(user === 'demo' && sub !== undefined ? [sub] : []),
      sid: await everyOf('sessions', 'sid', isOfUser, user),
      grant_id: await everyOf('grants', 'grant_id', isOfUser, user),
      webhook_id: await everyOf('webhooks', 'id', isOfApp, app),
    },
  };
}

type Row = Readonly<Record<string, CopyValue>>;
type Read = (name: string, after?: CopyRow) => AsyncIterable<Row>;

function reader(source: CopySource, tables: readonly CopyTable[]): Read {
  return async function* rowsOf(name, after) {
    const table = tables.find(each => each.name === name);
    if (!table) throw new Error(`no table ${name} is copied`);
    const names = table.columns.map(column => column.name);
    for await (const rows of source.rows(table, after)) {
      for (const row of rows) yield Object.fromEntries(names.map((column, index) => [column, row[index] ?? null]));
    }
  };
}

async function valuesOf(rows: AsyncIterable<Row>, column: string, isWanted: (row: Row) => boolean) {
  const values: CopyValue[] = [];
  for await (const row of rows) if (isWanted(row)) values.push(row[column] ?? null);
  return values;
}

async function application(read: Read): Promise<Found> {
  let found: Found;
  for await (const { app, client_id, metadata } of read('clients', [DEMO.app, ''])) {
    if (app !== DEMO.app) break;
    if (client_id !== DEMO.clientId || !String(metadata).includes(`${DEMO.callbackPath}"`)) return 'changed';
    found = 'demo';
  }
  return found;
}

async function demoUser(read: Read): Promise<{ user: Found; sub?: CopyValue }> {
  const name = await rowWith(read, 'login_names', DEMO.username);
  const sub = name?.sub;
  if (typeof sub !== 'string') return { user: undefined };
  const [account, operator] = [await rowWith(read, 'users', sub), await rowWith(read, 'operators', sub)];
  if (!account) return { user: undefined };
  return { user: account.email === DEMO.email && !operator ? 'demo' : 'changed', sub };
}

/** The row whose key, the first column, has this value: read from shortly before it. */
async function rowWith(read: Read, table: string, key: string): Promise<Row | undefined> {
  for await (const row of read(table, [key.slice(0, -1)])) {
    const [first] = Object.values(row);
    if (first === key) return row;
    if (Buffer.compare(Buffer.from(String(first)), Buffer.from(key)) > 0) return undefined;
  }
  return undefined;
}
