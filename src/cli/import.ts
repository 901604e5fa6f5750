import {
  closeSync,
  createReadStream,
  createWriteStream,
  fstatSync,
  mkdtempSync,
  openSync,
  type ReadStream,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { newEvent } from '../events/new-event.ts';
import type { EntryOptions } from '../provisioning/import/entries.ts';
import type { ImportDeps } from '../provisioning/import/import-users.ts';
import type { Services } from '../services.ts';
import { parseArguments } from './arguments.ts';
import type { Command } from './command.ts';
import { EXIT } from './exit.ts';
import { createProgress, type Progress } from './progress.ts';
import { withServices } from './with-services.ts';

const SOURCES = ['keycloak', 'auth0'];

export const importCommand: Command = {
  summary: 'add users from a CSV or JSON lines file of another system',
  help: `Usage: gatehouse import users [--from keycloak|auth0] [--dry-run] [--skip-faulty] [--update] FILE

Adds the users of a file: CSV with a header, or one JSON object on each line. "-" is standard input. The columns are the fields of a
user in the apply file, with password_hash (bcrypt, PBKDF2, scrypt, Argon2), and sub to keep the ids of users. Users that exist
already, by name or by sub, stay as they are: a run that was interrupted is simply repeated. If a line has a fault, the command
prints every fault with its line, writes nothing and exits 65.

  --from SYSTEM       the file is an export of keycloak or auth0 (docs/guides/import-users.md)
  --dry-run           check the file, write nothing
  --skip-faulty       write the users without a fault, and print the lines that were left out (exit 65)
  --update            change users that exist to what the file says; passwords stay
  --reset-passwords   with --update: set the passwords of the file too, and end the sessions and tokens of their users
  --json              print the numbers as JSON

Example: gatehouse import users --dry-run customers.csv`,

  async run(args, env) {
    const options = readOptions(args);
    if (options === undefined) {
      process.stderr.write(`${importCommand.help}\n`);
      return EXIT.usage;
    }
    let fd: number;
    try {
      fd = options.file === '-' ? await spooledInput() : openSync(options.file, 'r');
    } catch (error) {
      process.stderr.write(`${(error as Error).message}\n`);
      return EXIT.noInput;
    }
    try {
      return await withServices(env, services => importFile(services, fd, options));
    } finally {
      closeSync(fd);
    }
  },
};

interface Options {
  readonly file: string;
  readonly from: string | undefined;
  readonly dryRun: boolean;
  readonly skipFaulty: boolean;
  readonly update: boolean;
  readonly resetPasswords: boolean;
  readonly json: boolean;
}

function readOptions(args: readonly string[]): Options | undefined {
  try {
    const flag = { type: 'boolean', default: false } as const;
    const { values, positionals } = parseArguments({
      args: [...args],
      allowPositionals: true,
      options: {
        from: { type: 'string' },
        'dry-run': flag,
        'skip-faulty': flag,
        update: flag,
        'reset-passwords': flag,
        json: flag,
      },
    });
    const [noun, file] = positionals;
    const { from, update, json } = values;
    const resetPasswords = values['reset-passwords'];
    if (noun !== 'users' || file === undefined || positionals.length > 2) return undefined;
    if ((from !== undefined && !SOURCES.includes(from)) || (resetPasswords && !update)) return undefined;
    return { file, from, dryRun: values['dry-run'], skipFaulty: values['skip-faulty'], update, resetPasswords, json };
  } catch {
    return undefined;
  }
}

/** A file that has no name any more: the input is read twice, and holds hashes that must not stay behind. */
async function spooledInput(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-import-'));
  const path = join(folder, 'input');
  const fd = openSync(path, 'wx+', 0o600);
  rmSync(folder, { recursive: true });
  await pipeline(process.stdin, createWriteStream(path, { fd, autoClose: false }));
  return fd;
}

const MAX_FAULTS_PRINTED = 100;

async function importFile(services: Services, fd: number, options: Options): Promise<number> {
  const { checkUsers, importLines, importUsers } = await import('../provisioning/import/import-users.ts');
  const { sources } = await import('../provisioning/import/entries.ts');
  const entryOptions = { ...options, source: options.from === undefined ? undefined : sources[options.from] };
  const faults = new Faults();
  const depsFor = (onProgress: (users: number) => void) => ({
    ...services,
    eventOf: (counts: object) =>
      newEvent(services, {
        type: 'configuration.applied',
        outcome: 'success',
        actor: { kind: 'system' },
        details: { command: 'import users', ...counts },
      }),
    onFault: (line: number, fault: string) => faults.add(line, fault),
    onProgress,
  });
  const readFile = <Read>(
    work: (deps: ImportDeps, file: ReadStream, options: EntryOptions) => Promise<Read>,
    verb: string,
  ) => {
    const stream = createReadStream('', { fd, start: 0, autoClose: false, encoding: 'utf8', highWaterMark: 1 << 18 });
    return withProgress(createProgress(verb, fstatSync(fd).size), progress =>
      work(
        depsFor(users => progress.show(stream.bytesRead, users)),
        stream,
        entryOptions,
      ),
    );
  };
  if (options.skipFaulty && !options.dryRun)
    return report(await readFile(importUsers, 'imported'), faults, options, true);
  const { lines, ...checked } = await readFile(checkUsers, 'checked');
  if (options.dryRun || checked.faulty > 0) return report(checked, faults, options, false);
  if (!lines) return report(await readFile(importUsers, 'imported'), faults, options, true);
  const imported = await withProgress(createProgress('imported', lines.length), progress =>
    importLines(
      depsFor(users => progress.show(users, users)),
      lines,
      entryOptions,
    ),
  );
  return report(imported, faults, options, true);
}

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

  add(line: number, fault: string): void {
    this.#count++;
    if (this.#count <= MAX_FAULTS_PRINTED) process.stderr.write(`line ${line}: ${fault}\n`);
  }

  get omitted(): number {
    return Math.max(0, this.#count - MAX_FAULTS_PRINTED);
  }
}

interface Totals {
  readonly created: number;
  readonly updated: number;
  readonly present: number;
  readonly faulty: number;
}

function report(totals: Totals, faults: Faults, { json }: Options, written: boolean): number {
  const { created, updated, present, faulty } = totals;
  if (faults.omitted > 0) process.stderr.write(`and ${faults.omitted} more faults\n`);
  if (json) process.stdout.write(`${JSON.stringify({ written, ...totals })}\n`);
  else if (written) {
    const left = faulty > 0 ? `, ${faulty} lines left out` : '';
    process.stdout.write(`${created} users created, ${updated} changed, ${present} exist already${left}.\n`);
  } else {
    const would = `${created} users would be created, ${updated} changed, ${present} exist already`;
    process.stdout.write(`${faulty > 0 ? `${faulty} lines are faulty` : would}. Nothing was written.\n`);
  }
  return faulty > 0 ? EXIT.data : EXIT.ok;
}
