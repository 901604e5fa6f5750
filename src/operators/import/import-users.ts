import { NOT_DEFINED } from '../../directory/user-attributes/rules.ts';
import type { ImportEntry, ImportOutcome } from '../../directory/users/store.ts';
import { linkRefusedFault } from '../apply/link-refused-fault.ts';
import { passkeyTakenFault } from '../apply/passkey-taken-fault.ts';
import { lastOwnerFault } from '../roles/last-owner-fault.ts';
import { type EntryDeps, type EntryOptions, toEntry, uniqueNames } from './entries.ts';
import { NameSet } from './name-set.ts';
import { type FileRecord, readRecords } from './records.ts';

/**
 * Users from a file, in batches: each is written completely or not at all. A run that was killed is simply repeated: the users that
 * it has written are found by their names, or by `sub`, and stay as they are.
 */
export interface ImportDeps extends ImportTarget {
  readonly onFault: (line: number, fault: string) => void;
  readonly onProgress: (users: number) => void;
}

/** Where the users go: the store of the settings, or that of a running server. */
export interface ImportTarget extends EntryDeps {
  /** What `write` would answer; writes nothing. */
  check(lines: readonly Line[]): Promise<readonly LineOutcome[]>;
  /** In the order of the lines. */
  write(lines: readonly Line[]): Promise<readonly LineOutcome[]>;
  /** The target reads the records itself. */
  readonly needsRecords?: true;
}

/** `refused`: by a server, which has written the rest. */
export type LineOutcome = ImportOutcome | { readonly kind: 'refused'; readonly faults: readonly string[] };

export interface ImportTotals {
  readonly created: number;
  readonly updated: number;
  readonly present: number;
  /** Lines that were left out. */
  readonly faulty: number;
}

/**
 * Large enough that statements, commits and the pages of the database are shared by many, small enough that a login, which on SQLite
 * waits for the batch, does so for less than a second.
 */
const BATCH_SIZE = 8000;
/** PostgreSQL writes them side by side. No two users of the file have a name in common. */
const MAX_BATCHES_IN_FLIGHT = 2;

/** A user of the file without a fault. */
export interface Line {
  readonly line: number;
  readonly entry: ImportEntry;
  /** As it is in the file, where the target needs it. */
  readonly record?: FileRecord;
}

export interface CheckedFile extends ImportTotals {
  /** What `importLines` writes without reading the file again. Undefined: more users than the memory of a small machine has room for. */
  readonly lines: readonly Line[] | undefined;
}

/** Some 80 MB. */
const MAX_LINES_KEPT = 100_000;

/** Reads the whole file, reports every fault and writes nothing. */
export async function checkUsers(
  deps: ImportDeps,
  chunks: AsyncIterable<string>,
  options: EntryOptions,
): Promise<CheckedFile> {
  const totals = newTotals();
  let kept: Line[] | undefined = [];
  const lines = readLines(deps, totals, chunks, options);
  await eachBatch(deps, totals, lines, options, batch => {
    kept = kept && kept.length + batch.length <= MAX_LINES_KEPT ? kept.concat(batch) : undefined;
    return deps.check(batch);
  });
  return { ...totals, lines: kept };
}

/** Writes what is not faulty. */
export function importUsers(
  deps: ImportDeps,
  chunks: AsyncIterable<string>,
  options: EntryOptions,
): Promise<ImportTotals> {
  const totals = newTotals();
  return writeLines(deps, totals, readLines(deps, totals, chunks, options), options);
}

/** Writes the users of a file that was checked. */
export function importLines(deps: ImportDeps, lines: readonly Line[], options: EntryOptions): Promise<ImportTotals> {
  return writeLines(deps, newTotals(), [lines], options);
}

type Totals = { -readonly [Kind in keyof ImportTotals]: number };
type Lines = AsyncIterable<readonly Line[]> | Iterable<readonly Line[]>;

const newTotals = (): Totals => ({ created: 0, updated: 0, present: 0, faulty: 0 });

async function writeLines(
  deps: ImportDeps,
  totals: Totals,
  lines: Lines,
  options: EntryOptions,
): Promise<ImportTotals> {
  await eachBatch(deps, totals, lines, options, batch => deps.write(batch));
  return totals;
}

async function eachBatch(
  deps: ImportDeps,
  totals: Totals,
  lines: Lines,
  options: EntryOptions,
  work: (batch: readonly Line[]) => Promise<readonly LineOutcome[]>,
): Promise<void> {
  // A change may take a name that a change before it has released.
  const most = options.update ? 1 : MAX_BATCHES_IN_FLIGHT;
  const inFlight: Promise<void>[] = [];
  let batch: Line[] = [];
  const start = async () => {
    if (inFlight.length === most) await inFlight.shift();
    const [started, before] = [batch, inFlight.at(-1)];
    batch = [];
    // In the order of the lines.
    const counted = Promise.all([work(started), before]).then(([done]) => count(deps, totals, done, started));
    // Awaited later; a failure must not count as unhandled until then.
    counted.catch(() => {});
    inFlight.push(counted);
  };
  try {
    for await (const some of lines) {
      for (const line of some) if (batch.push(line) === BATCH_SIZE) await start();
    }
    if (batch.length > 0) await start();
    await Promise.all(inFlight);
  } finally {
    await Promise.allSettled(inFlight);
  }
}

async function* readLines(
  deps: ImportDeps,
  totals: Totals,
  chunks: AsyncIterable<string>,
  options: EntryOptions,
): AsyncGenerator<readonly Line[]> {
  const names = new NameSet();
  for await (const records of readRecords(chunks)) {
    const lines = records.map(record => readLine(deps, names, record, options)).filter(line => line !== undefined);
    totals.faulty += records.length - lines.length;
    yield lines;
  }
}

/** Undefined: the line is faulty, which has been reported. */
function readLine(deps: ImportDeps, names: NameSet, record: FileRecord, options: EntryOptions): Line | undefined {
  const read = toEntry(deps, record, options);
  if (read.kind === 'faulty') {
    for (const fault of read.faults) deps.onFault(read.line, fault);
    return undefined;
  }
  const { line, entry } = read;
  let isUnique = true;
  for (const { key, field } of uniqueNames(entry)) {
    const before = names.add(key, line);
    if (before === undefined) continue;
    deps.onFault(line, `${field}: is in line ${before} already`);
    isUnique = false;
  }
  if (!isUnique) return undefined;
  return deps.needsRecords ? { line, entry, record } : { line, entry };
}

function count(deps: ImportDeps, totals: Totals, outcomes: readonly LineOutcome[], lines: readonly Line[]): void {
  for (const [index, outcome] of outcomes.entries()) {
    for (const fault of faultsOf(outcome)) deps.onFault(lines[index]?.line ?? 0, fault);
    totals[isRefused(outcome) ? 'faulty' : outcome.kind]++;
  }
  deps.onProgress(totals.created + totals.updated + totals.present + totals.faulty);
}

export function faultsOf(outcome: LineOutcome): readonly string[] {
  switch (outcome.kind) {
    case 'refused':
      return outcome.faults;
    case 'loginTaken':
      return [`"${outcome.loginName}" is the login name of another user`];
    case 'attributeGone':
      return [`attributes.${outcome.name}: ${NOT_DEFINED}`];
    case 'lastOwner':
      return [lastOwnerFault(outcome)];
    case 'passkeyTaken':
      return [`passkeys: one ${passkeyTakenFault(outcome)}`];
    case 'linkRefused':
      return [`links: one ${linkRefusedFault(outcome)}`];
    default:
      return [];
  }
}

type Refused = Exclude<LineOutcome, { readonly kind: 'created' | 'updated' | 'present' }>;

export function isRefused(outcome: LineOutcome): outcome is Refused {
  return outcome.kind !== 'created' && outcome.kind !== 'updated' && outcome.kind !== 'present';
}
