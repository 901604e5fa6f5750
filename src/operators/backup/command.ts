import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { newEvent } from '../../audit/events/new-event.ts';
import { systemRandom } from '../../platform/crypto/random.ts';
import type { Command, CommandTools } from '../cli/command.ts';
import { EXIT } from '../cli/exit.ts';
import { readSettings } from '../cli/settings.ts';
import { refuseRemotely, withOperations } from '../cli/with-operations.ts';
import { copyTo, recordIn } from './sqlite.ts';

/** `gatehouse backup FILE`: a consistent copy of the embedded store, while a server writes to it. */
export const backup: Command = {
  worksRemotely: true,
  help: `Usage: gatehouse backup FILE | --made | --elsewhere

Writes a copy of the embedded store (DATABASE_URL=sqlite:PATH) to FILE, as it is at one moment, while the server runs. FILE must not exist;
only its owner can read it. The secret that opens the signing keys is not in it: keep gatehouse.secret, which is beside the database, or
GATEHOUSE_SECRET with the copy. To restore, stop the server, delete the files beside the database that end in -wal and -shm, and put FILE in
its place.

With PostgreSQL use pg_dump. The overview of the console warns where it knows of no backup, or of none in the last week:

  --made        records that a backup was made by other means: run it after pg_dump
  --elsewhere   records that another system makes them, without notifying this server

Example: gatehouse backup /var/backups/gatehouse-$(date +%F).db`,

  async run(args, context) {
    const { stdout, stderr } = context;
    const [file, ...more] = args;
    if ((file === '--made' || file === '--elsewhere') && more.length === 0) {
      return record(context, file === '--made' ? 'made' : 'elsewhere');
    }
    if (file === undefined || file.startsWith('-') || more.length > 0) {
      stderr.write(`${backup.help}\n`);
      return EXIT.usage;
    }
    refuseRemotely(context, 'backup FILE');
    const config = readSettings(context);
    if (!config) return EXIT.configuration;
    const { database } = config;
    if (database.kind !== 'sqlite') {
      stderr.write('DATABASE_URL: "gatehouse backup" is for the embedded store. With PostgreSQL use pg_dump.\n');
      return EXIT.configuration;
    }
    if (!existsSync(database.path)) {
      stderr.write(`${database.path}: there is no database\n`);
      return EXIT.noInput;
    }
    const fault = writeCopy(database.path, file);
    if (fault !== undefined) {
      stderr.write(`${file}: ${fault}\n`);
      return EXIT.cannotCreate;
    }
    stdout.write(`${file}: written and checked. Keep the secret of this server with it.\n`);
    const deps = { clock: { now: () => Math.floor(Date.now() / 1000) }, random: systemRandom };
    const made = newEvent(deps, { type: 'backup.made', outcome: 'success', actor: { kind: 'system' } });
    const unrecorded = recordIn(database.path, made);
    if (unrecorded !== undefined) stderr.write(`The overview does not know of this backup: ${unrecorded}\n`);
    return EXIT.ok;
  },
};

/** The backup itself was made by something else. */
function record(context: CommandTools, kind: 'made' | 'elsewhere'): Promise<number> {
  return withOperations(context, async perform => {
    const outcome = await perform('recordBackup', { body: { kind } });
    if (outcome.kind !== 'done') {
      context.stderr.write('the API key has no role for the whole deployment, which a backup is of\n');
      return EXIT.noPermission;
    }
    context.stdout.write(
      kind === 'made' ? 'Recorded: a backup was made.\n' : 'Recorded: backups are made elsewhere.\n',
    );
    return EXIT.ok;
  });
}

/**
 * The copy is complete when it has its name: it is written beside it, checked, and on the disk before. An empty file holds the name
 * meanwhile, so that nothing is replaced that came there since. Returns why there is no copy.
 */
function writeCopy(path: string, file: string): string | undefined {
  const part = `${file}.part`;
  const made: string[] = [];
  try {
    for (const name of [file, part]) {
      // Holds password hashes: for its owner alone.
      closeSync(openSync(name, 'wx', 0o600));
      made.push(name);
    }
    copyTo(part, path);
    sync(part);
    renameSync(part, file);
    sync(dirname(file));
    return undefined;
  } catch (error) {
    for (const name of made) rmSync(name, { force: true });
    const { code, message } = error as NodeJS.ErrnoException;
    return code === 'EEXIST' ? 'exists already, or its copy is being written' : message;
  }
}

function sync(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
