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

/** Large enough that statements and commits are shared by many, small enough that no login waits for long. */
const BATCH_SIZE = 4000;

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
  const finish = async (batch: readonly Line[]) => {
    const outcomes = await work(batch.map(({ entry }) => entry));
    for (const [index, outcome] of outcomes.entries()) count(deps, totals, outcome, batch[index]?.line ?? 0);
    deps.onProgress(totals.created + totals.updated + totals.present + totals.faulty);
  };
  let batch: Line[] = [];
  // While the database writes one batch, the next one is read.
  let writing = Promise.resolve();
  for await (const record of readRecords(chunks)) {
    const line = readLine(deps, names, record, options);
    if (line === undefined) totals.faulty++;
    else batch.push(line);
    if (batch.length < BATCH_SIZE) continue;
    await writing;
    writing = finish(batch);
    // The loop awaits it later; a failure must not count as unhandled until then.
    writing.catch(() => {});
    batch = [];
  }
  await writing;
  if (batch.length > 0) await finish(batch);
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
  const twice = uniqueNames(entry).flatMap(({ field, key }) => {
    const before = names.add(key, line);
    return before === undefined ? [] : [`${field}: is in line ${before} already`];
  });
  for (const fault of twice) deps.onFault(line, fault);
  return twice.length === 0 ? { line, entry } : undefined;
}

function count(
  deps: ImportDeps,
  totals: { -readonly [Kind in keyof ImportTotals]: number },
  outcome: ImportOutcome,
  line: number,
): void {
  const fault = faultOf(outcome);
  if (fault !== undefined) deps.onFault(line, fault);
  totals[outcome.kind === 'loginTaken' || outcome.kind === 'lastOwner' ? 'faulty' : outcome.kind]++;
}

function faultOf(outcome: ImportOutcome): string | undefined {
  if (outcome.kind === 'loginTaken') return `"${outcome.loginName}" is the login name of another user`;
  return outcome.kind === 'lastOwner' ? lastOwnerFault(outcome) : undefined;
}
