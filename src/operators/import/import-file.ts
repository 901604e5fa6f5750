import { createReadStream, fstatSync, type ReadStream } from 'node:fs';
import { newEvent } from '../../audit/events/new-event.ts';
import { userAttributes } from '../../directory/user-attributes/queries.ts';
import type { Services } from '../../services.ts';
import type { AppliedBy } from '../apply/applied-events.ts';
import type { CommandContext, Output } from '../cli/command.ts';
import { EXIT } from '../cli/exit.ts';
import { createProgress, type Progress } from '../cli/progress.ts';
import type { EntryOptions } from './entries.ts';
import type { ImportDeps, ImportTarget, ImportTotals, Line } from './import-users.ts';
import type { SourceName } from './source-names.ts';

export interface ImportOptions {
  readonly from: SourceName | undefined;
  readonly dryRun: boolean;
  readonly skipFaulty: boolean;
  readonly update: boolean;
  readonly resetPasswords: boolean;
  readonly json: boolean;
}

/** The file is checked as a whole before anything is written, unless lines with a fault are to be left out. */
export async function importFile(
  target: ImportTarget,
  fd: number,
  options: ImportOptions,
  context: CommandContext,
): Promise<number> {
  const run = await startRun(target, fd, options, context);
  const print = (totals: ImportTotals, isWritten: boolean) => report(totals, run.faults, options, isWritten, context);
  const written = (totals: ImportTotals) => print(totals, true);
  if (options.skipFaulty && !options.dryRun) return written(await run.write());
  const { lines, ...checked } = await run.check();
  if (options.dryRun || checked.faulty > 0) return print(checked, false);
  return written(lines ? await run.writeLines(lines) : await run.write());
}

const CHUNK_BYTES = 1 << 18;

/** One run over the file: what it checks and writes, with its progress, and the faults that it has printed. */
async function startRun(target: ImportTarget, fd: number, options: ImportOptions, context: CommandContext) {
  const { checkUsers, importLines, importUsers } = await import('./import-users.ts');
  const { sources } = await import('./entries.ts');
  const entryOptions = { ...options, source: options.from === undefined ? undefined : sources[options.from] };
  const faults = new Faults(context.stderr);
  const depsFor = (onProgress: (users: number) => void): ImportDeps => ({
    ...target,
    onFault: (line, fault) => faults.add(line, fault),
    onProgress,
  });
  type Work<Read> = (deps: ImportDeps, file: ReadStream, options: EntryOptions) => Promise<Read>;
  const readFile = <Read>(work: Work<Read>, verb: string) => {
    const file = { fd, start: 0, autoClose: false, encoding: 'utf8', highWaterMark: CHUNK_BYTES } as const;
    const stream = createReadStream('', file);
    return withProgress(createProgress(verb, fstatSync(fd).size, context), progress => {
      return work(
        depsFor(users => progress.show(stream.bytesRead, users)),
        stream,
        entryOptions,
      );
    });
  };
  return {
    faults,
    check: () => readFile(checkUsers, 'checked'),
    write: () => readFile(importUsers, 'imported'),
    writeLines: (lines: readonly Line[]) =>
      withProgress(createProgress('imported', lines.length, context), progress => {
        return importLines(
          depsFor(users => progress.show(users, users)),
          lines,
          entryOptions,
        );
      }),
  };
}

/** The store of these services. */
export async function importTo(
  services: Services,
  by: AppliedBy = { actor: { kind: 'system' } },
): Promise<ImportTarget> {
  const entriesOf = (lines: readonly Line[]) => lines.map(({ entry }) => entry);
  return {
    clock: services.clock,
    random: services.random,
    ring: services.ring,
    attributes: await userAttributes(services.store.cold),
    providers: (await services.store.listProviders()).map(({ id }) => id),
    check: lines => services.store.checkImport(entriesOf(lines)),
    write: lines => services.store.importUsers(entriesOf(lines), counts => importEvent(services, by, counts)),
  };
}

/** Of one batch. */
function importEvent(services: Services, by: AppliedBy, counts: object) {
  const details = { command: 'import users', ...counts };
  return newEvent(services, { type: 'configuration.applied', outcome: 'success', ...by, details });
}

const MAX_FAULTS_PRINTED = 100;

async function withProgress<Result>(
  progress: Progress,
  work: (progress: Progress) => Promise<Result>,
): Promise<Result> {
  try {
    return await work(progress);
  } finally {
    progress.end();
  }
}

/** Prints the first faults at once and counts the rest. */
class Faults {
  #count = 0;
  readonly #stderr: Output;

  constructor(stderr: Output) {
    this.#stderr = stderr;
  }

  add(line: number, fault: string): void {
    this.#count++;
    if (this.#count <= MAX_FAULTS_PRINTED) this.#stderr.write(`line ${line}: ${fault}\n`);
  }

  get omitted(): number {
    return Math.max(0, this.#count - MAX_FAULTS_PRINTED);
  }
}

function report(
  totals: ImportTotals,
  faults: Faults,
  { json }: ImportOptions,
  written: boolean,
  { stdout, stderr }: CommandContext,
): number {
  const { created, updated, present, faulty } = totals;
  if (faults.omitted > 0) stderr.write(`and ${faults.omitted} more faults\n`);
  if (json) stdout.write(`${JSON.stringify({ written, ...totals })}\n`);
  else if (written) {
    const left = faulty > 0 ? `, ${faulty} lines left out` : '';
    stdout.write(`${created} users created, ${updated} changed, ${present} exist already${left}.\n`);
  } else {
    const would = `${created} users would be created, ${updated} changed, ${present} exist already`;
    stdout.write(`${faulty > 0 ? `${faulty} lines are faulty` : would}. Nothing was written.\n`);
  }
  return faulty > 0 ? EXIT.data : EXIT.ok;
}
