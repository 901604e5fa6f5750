import { createHash } from 'node:crypto';
import {
  type CopyReader,
  type CopySource,
  type CopyTable,
  type CopyTarget,
  type CopyValue,
  tables,
} from './transfer.ts';

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
  | { readonly kind: 'copied'; readonly verified: readonly Verified[]; readonly writtenSince: boolean }
  /** The source and the target are not the same row by row. The copy stays marked as unfinished. */
  | { readonly kind: 'differs'; readonly verified: readonly Verified[] }
  /** Nothing was written. */
  | { readonly kind: 'refused'; readonly reason: string };

export type Progress = (line: string) => void;

export async function copy(source: CopySource, target: CopyTarget, say: Progress): Promise<CopyOutcome> {
  const identity = await identify(source);
  const begun = await target.begunFrom();
  if (begun !== undefined && begun !== identity) {
    return refused('the target holds the unfinished copy of another store, or of this one as it was before');
  }
  if (begun === undefined) {
    if (!(await target.isEmpty())) return whatIsThere(identity, source, target, say);
    await target.begin(identity);
  } else say('going on with the copy that was begun');

  for (const table of tables) await copyTable(source, target, table, say);
  const verified = await verify(source, target, say);
  if (!verified.every(agrees)) return { kind: 'differs', verified };
  await target.finish();
  return { kind: 'copied', verified, writtenSince: (await source.writtenSince()) ?? false };
}

export function agrees({ source, target }: Verified): boolean {
  return source.rows === target.rows && source.sha256 === target.sha256;
}

const refused = (reason: string): CopyOutcome => ({ kind: 'refused', reason });

/** A target that is not empty may be a complete copy, whose process was killed after its last step. */
async function whatIsThere(
  identity: string,
  source: CopySource,
  target: CopyTarget,
  say: Progress,
): Promise<CopyOutcome> {
  const other = refused('the target holds other data: copy into an empty database');
  if ((await identify(target)) !== identity) return other;
  const verified = await verify(source, target, say);
  if (!verified.every(agrees)) return other;
  return { kind: 'copied', verified, writtenSince: false };
}

/** The identity of a store is the digest of its applications, clients and keys: it stays the same if its file is moved. */
async function identify(store: CopyReader): Promise<string> {
  const own = tables.filter(({ name }) => ['applications', 'clients', 'signing_keys'].includes(name));
  const digests: string[] = [];
  for (const table of own) digests.push((await digest(store, table)).sha256);
  return createHash('sha256').update(digests.join()).digest('hex');
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

async function verify(source: CopySource, target: CopyTarget, say: Progress): Promise<Verified[]> {
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
