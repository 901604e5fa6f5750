import { createHash } from 'node:crypto';
import type { CopyTable } from '../../platform/store/table.ts';
import { addMissing, removeStale } from '../apply/reconcile.ts';
import type { CopyReader, CopySource, CopyTarget, CopyValue, Transfer } from './store.ts';

/** Copies all tables from one store to another, and verifies the result by comparing digests. */
export interface Verified {
  readonly table: string;
  readonly source: Digest;
  readonly target: Digest;
}

export interface Digest {
  readonly rows: number;
  /** Of every row in the order of the key. */
  readonly sha256: string;
}

export type CopyOutcome =
  | { readonly kind: 'copied'; readonly verified: readonly Verified[] }
  /** Both sides were the same, but the source is being written to. The copy stays marked as unfinished. */
  | { readonly kind: 'changing'; readonly verified: readonly Verified[] }
  /** The source and the target are not the same row by row. The copy stays marked as unfinished. */
  | { readonly kind: 'differs'; readonly verified: readonly Verified[] }
  /** Nothing was written. */
  | { readonly kind: 'refused'; readonly reason: string };

/** What to do with an unfinished copy of a source that has changed since: copy the changes, or everything anew. */
export type Resumption = 'continue' | 'start over' | undefined;

export type Progress = (line: string) => void;

export async function copy(transfer: Transfer, say: Progress, resumption?: Resumption): Promise<CopyOutcome> {
  const { source, target, tables } = transfer;
  const identity = await identify(source, tables);
  const begun = await target.begunFrom();
  if (begun === undefined) {
    if (!(await target.isEmpty())) return whatIsThere(identity, transfer, say);
    await target.begin(identity.mark);
  } else {
    const reason = await resume(begun, identity, transfer, say, resumption);
    if (reason !== undefined) return { kind: 'refused', reason };
  }
  for (const table of tables) {
    // A table is complete before one that refers to it: what has come since may stand behind the last row that was copied.
    if (resumption === 'continue') tell(say, table, await addMissing(source, target, table), 'added');
    await copyTable(source, target, table, say);
  }
  return conclude(transfer, say);
}

/** The reason if the copy cannot go on. */
async function resume(
  begun: string,
  identity: Identity,
  { source, target, tables }: Transfer,
  say: Progress,
  resumption: Resumption,
): Promise<string | undefined> {
  if (!isOf(begun, identity)) return 'the target holds the unfinished copy of another store';
  if (resumption === 'start over') {
    say('starting over: the unfinished copy is removed from the target');
    // The mark stays: without it, a target that is half cleared would pass for a store.
    await target.clear();
    await target.begin(identity.mark);
    return undefined;
  }
  if (resumption === undefined) {
    if (digestOf(begun) !== identity.digest) return CHANGED;
    say('going on with the copy that was begun');
    return undefined;
  }
  await target.begin(identity.mark);
  say('going on with the copy that was begun: looking for what has changed since');
  for (const table of tables.toReversed()) tell(say, table, await removeStale(source, target, table), 'removed');
  return undefined;
}

const CHANGED =
  'the target holds an unfinished copy of this store as it was before: --continue copies what has changed since, --start-over copies everything again';

function tell(say: Progress, { name }: CopyTable, rows: number, what: string): void {
  if (rows > 0) say(`${name}: ${rows} rows ${what}`);
}

/** Compares with the source as it is now, so that what was written during the copy is found. */
async function conclude(transfer: Transfer, say: Progress): Promise<CopyOutcome> {
  const { source, target } = transfer;
  await source.refresh();
  const verified = await verify(transfer, say);
  if (!verified.every(agrees)) return { kind: 'differs', verified };
  if (await source.writtenSince()) return { kind: 'changing', verified };
  await target.finish();
  return { kind: 'copied', verified };
}

function agrees({ source, target }: Verified): boolean {
  return source.rows === target.rows && source.sha256 === target.sha256;
}

/** A target that is not empty may be a complete copy, whose process was killed after its last step. */
async function whatIsThere(identity: Identity, transfer: Transfer, say: Progress): Promise<CopyOutcome> {
  const other = { kind: 'refused', reason: 'the target holds other data: copy into an empty database' } as const;
  if ((await identify(transfer.target, transfer.tables)).digest !== identity.digest) return other;
  const verified = await verify(transfer, say);
  return verified.every(agrees) ? { kind: 'copied', verified } : other;
}

/** A store is known by the digest of its applications, clients and keys, and by its keys where these have changed. */
interface Identity {
  readonly digest: string;
  /** What the target notes: the digest, and the ids of the signing keys, which are random. */
  readonly mark: string;
}

async function identify(store: CopyReader, tables: readonly CopyTable[]): Promise<Identity> {
  const own = tables.filter(({ name }) => ['applications', 'clients', 'signing_keys'].includes(name));
  const digests: string[] = [];
  for (const table of own) digests.push((await digest(store, table)).sha256);
  const hash = createHash('sha256').update(digests.join()).digest('hex');
  return { digest: hash, mark: [hash, ...(await keyIds(store, tables))].join(' ') };
}

async function keyIds(store: CopyReader, tables: readonly CopyTable[]): Promise<string[]> {
  const table = tables.find(({ name }) => name === 'signing_keys');
  const column = table?.columns.findIndex(({ name }) => name === 'kid') ?? -1;
  const ids: string[] = [];
  if (table) for await (const rows of store.rows(table)) ids.push(...rows.map(row => String(row[column])));
  return ids;
}

const digestOf = (mark: string) => mark.split(' ')[0];

/** Whether the mark is that of this store, as it is or as it was before. */
function isOf(mark: string, identity: Identity): boolean {
  const [digest, ...keys] = mark.split(' ');
  const present = new Set(identity.mark.split(' ').slice(1));
  return digest === identity.digest || keys.some(key => present.has(key));
}

const SAY_EVERY_MS = 2000;

async function copyTable(source: CopySource, target: CopyTarget, table: CopyTable, say: Progress): Promise<void> {
  let count = 0;
  let saidAt = performance.now();
  let writing: Promise<void> | undefined;
  for await (const rows of source.rows(table, await target.lastKey(table))) {
    // One batch is read while the one before it is written.
    await writing;
    writing = target.add(table, rows);
    writing.catch(() => {});
    count += rows.length;
    if (performance.now() - saidAt > SAY_EVERY_MS) {
      saidAt = performance.now();
      say(`${table.name}: ${count} rows so far`);
    }
  }
  await writing;
  if (count > 0) say(`${table.name}: ${count} rows copied`);
}

async function verify({ source, target, tables }: Transfer, say: Progress): Promise<Verified[]> {
  say('verifying');
  const verified: Verified[] = [];
  for (const table of tables) {
    const [from, to] = await Promise.all([digest(source, table), digest(target, table)]);
    verified.push({ table: table.name, source: from, target: to });
  }
  return verified;
}

async function digest(reader: CopyReader, table: CopyTable): Promise<Digest> {
  const hash = createHash('sha256');
  let count = 0;
  for await (const rows of reader.rows(table)) {
    count += rows.length;
    hash.update(rows.map(row => `${JSON.stringify(row.map(canonical))}\n`).join(''));
  }
  return { rows: count, sha256: hash.digest('hex') };
}

/** A column has the same kind on both sides, so base64 here cannot be confused with text. */
function canonical(cell: CopyValue): CopyValue {
  return cell instanceof Uint8Array ? Buffer.from(cell).toString('base64') : cell;
}

/** The tables that differ, and how. */
export function differences(verified: readonly Verified[]): string[] {
  return verified
    .filter(each => !agrees(each))
    .map(({ table, source, target }) =>
      source.rows === target.rows
        ? `${table}: ${source.rows} rows on both sides, but not the same`
        : `${table}: ${source.rows} rows in the source, ${target.rows} in the target`,
    );
}
