import type { Deps } from '../../deps.ts';
import type { Event } from '../../protocol/event.ts';
import type { ImportCounts, ImportEntry, ImportOutcome } from '../../store/users.ts';
import { lastOwnerFault } from '../last-owner-fault.ts';
import { type EntryOptions, toEntry, uniqueNames } from './entries.ts';
import { NameSet } from './name-set.ts';
import { type FileRecord, readRecords } from './records.ts';

/**
 * Users from a file, in batches: each is written completely or not at all. A run that was killed is simply repeated: the users that
 * it has written are found by their names, or by `sub`, and stay as they are.
 */
export interface ImportDeps extends Pick<Deps, 'store' | 'clock' | 'random'> {
  /** The event of one batch. */
  readonly eventOf: (counts: ImportCounts) => Event;
  readonly onFault: (line: number, fault: string) => void;
  readonly onProgress: (users: number) => void;
}

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

interface Line {
  readonly line: number;
  readonly entry: ImportEntry;
}

/** Reads the whole file, reports every fault and writes nothing. */
export function checkUsers(
  deps: ImportDeps,
  chunks: AsyncIterable<string>,
  options: EntryOptions,
): Promise<ImportTotals> {
  return eachBatch(deps, chunks, options, entries => deps.store.checkImport(entries));
}

/** Writes what is not faulty. */
export function importUsers(
  deps: ImportDeps,
  chunks: AsyncIterable<string>,
  options: EntryOptions,
): Promise<ImportTotals> {
  return eachBatch(deps, chunks, options, entries => deps.store.importUsers(entries, deps.eventOf));
}

async function eachBatch(
  deps: ImportDeps,
  chunks: AsyncIterable<string>,
  options: EntryOptions,
  work: (entries: readonly ImportEntry[]) => Promise<readonly ImportOutcome[]>,
): Promise<ImportTotals> {
  const totals = { created: 0, updated: 0, present: 0, faulty: 0 };
  const names = new NameSet();
  // A change may take a name that a change before it has released.
  const most = options.update ? 1 : MAX_BATCHES_IN_FLIGHT;
  const inFlight: Promise<void>[] = [];
  let batch: Line[] = [];
  const start = async () => {
    if (inFlight.length === most) await inFlight.shift();
    const [lines, before] = [batch, inFlight.at(-1)];
    batch = [];
    const outcomes = work(lines.map(({ entry }) => entry));
    // In the order of the lines.
    const counted = Promise.all([outcomes, before]).then(([done]) => count(deps, totals, done, lines));
    // Awaited later; a failure must not count as unhandled until then.
    counted.catch(() => {});
    inFlight.push(counted);
  };
  try {
    for await (const records of readRecords(chunks)) {
      for (const record of records) {
        const line = readLine(deps, names, record, options);
        if (line === undefined) totals.faulty++;
        else if (batch.push(line) === BATCH_SIZE) await start();
      }
    }
    if (batch.length > 0) await start();
    await Promise.all(inFlight);
  } finally {
    await Promise.allSettled(inFlight);
  }
  return totals;
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
  return isUnique ? { line, entry } : undefined;
}

function count(
  deps: ImportDeps,
  totals: { -readonly [Kind in keyof ImportTotals]: number },
  outcomes: readonly ImportOutcome[],
  lines: readonly Line[],
): void {
  for (const [index, outcome] of outcomes.entries()) {
    const fault = faultOf(outcome);
    if (fault !== undefined) deps.onFault(lines[index]?.line ?? 0, fault);
    totals[outcome.kind === 'loginTaken' || outcome.kind === 'lastOwner' ? 'faulty' : outcome.kind]++;
  }
  deps.onProgress(totals.created + totals.updated + totals.present + totals.faulty);
}

function faultOf(outcome: ImportOutcome): string | undefined {
  if (outcome.kind === 'loginTaken') return `"${outcome.loginName}" is the login name of another user`;
  return outcome.kind === 'lastOwner' ? lastOwnerFault(outcome) : undefined;
}
