import { closeSync, createWriteStream, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { parseArguments } from '../cli/arguments.ts';
import type { Command, Input } from '../cli/command.ts';
import { EXIT } from '../cli/exit.ts';
import { withServices } from '../cli/with-services.ts';
import { type ImportOptions, importFile, importTo } from './import-file.ts';
import { importAt } from './remote.ts';
import { isSourceName } from './source-names.ts';

export const importCommand: Command = {
  worksRemotely: true,
  help: `Usage: gatehouse import users [--from keycloak|auth0] [--dry-run] [--skip-faulty] [--update] FILE

Adds the users of a file: CSV with a header, or one JSON object on each line. "-" is standard input. The columns are the fields of a
user in the apply file, with password_hash (bcrypt, PBKDF2, scrypt, Argon2), totp_secret (base32), passkeys (JSON only), and sub to keep ids. Users that exist
already, by name or by sub, stay as they are: a run that was interrupted is simply repeated. If a line has a fault, the command
prints every fault with its line, writes nothing and exits 65.

  --from SYSTEM       the file is an export of keycloak or auth0 (docs/guides/import-users.md)
  --dry-run           check the file, write nothing
  --skip-faulty       write the users without a fault, and print the lines that were left out (exit 65)
  --update            change users that exist to what the file says; passwords stay
  --reset-passwords   with --update: set the passwords of the file too, and end the sessions and tokens of their users
  --json              print the numbers as JSON

Example: gatehouse import users --dry-run customers.csv`,

  async run(args, context) {
    const options = readOptions(args);
    if (options === undefined) {
      context.stderr.write(`${importCommand.help}\n`);
      return EXIT.usage;
    }
    let fd: number;
    try {
      fd = options.file === '-' ? await spooledInput(context.stdin) : openSync(options.file, 'r');
    } catch (error) {
      context.stderr.write(`${(error as Error).message}\n`);
      return EXIT.noInput;
    }
    try {
      if (context.remote) return await importFile(importAt(context.remote, options), fd, options, context);
      return await withServices(context, async services => importFile(await importTo(services), fd, options, context));
    } finally {
      closeSync(fd);
    }
  },
};

interface Options extends ImportOptions {
  readonly file: string;
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
    if ((from !== undefined && !isSourceName(from)) || (resetPasswords && !update)) return undefined;
    return { file, from, dryRun: values['dry-run'], skipFaulty: values['skip-faulty'], update, resetPasswords, json };
  } catch {
    return undefined;
  }
}

/** A file that has no name any more: the input is read twice, and holds hashes that must not stay behind. */
async function spooledInput(stdin: Input): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-import-'));
  const path = join(folder, 'input');
  const fd = openSync(path, 'wx+', 0o600);
  rmSync(folder, { recursive: true });
  await pipeline(stdin, createWriteStream(path, { fd, autoClose: false }));
  return fd;
}
