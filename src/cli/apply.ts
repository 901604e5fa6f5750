import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { loginName } from '../protocol/login-name.ts';
import { type ApplyFile, readApplyFiles, type Source } from '../provisioning/apply-file.ts';
import { planChanges } from '../provisioning/plan.ts';
import type { Services } from '../services.ts';
import type { Command } from './command.ts';
import { EXIT } from './exit.ts';
import { withServices } from './with-services.ts';

export const apply: Command = {
  summary: 'bring applications, clients and users to what files say',
  help: `Usage: gatehouse apply [--dry-run] [--reset-passwords] FILE…

Creates and changes applications, clients and users as the files (YAML or JSON) say, and prints what changed. Applying the same
files again changes nothing. What the files do not name is not changed; nor are the fields that the entry of a user leaves out. If
a file has a fault, the command prints its place, changes nothing and exits 65.

  --dry-run           print what would change, change nothing
  --reset-passwords   set the passwords in the files for existing users too, and end their sessions and tokens`,

  async run(args, env) {
    const options = readOptions(args);
    if (options === undefined) {
      process.stderr.write(`${apply.help}\n`);
      return EXIT.usage;
    }
    const sources = readSources(options.files);
    if (sources === undefined) return EXIT.noInput;
    const read = readApplyFiles(sources);
    if (read.kind === 'faulty') {
      for (const fault of read.faults) process.stderr.write(`${fault}\n`);
      return EXIT.data;
    }
    return withServices(env, services => applyFile(services, read.file, options));
  },
};

interface Options {
  readonly files: readonly string[];
  readonly dryRun: boolean;
  readonly resetPasswords: boolean;
}

function readOptions(args: readonly string[]): Options | undefined {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { 'dry-run': { type: 'boolean' }, 'reset-passwords': { type: 'boolean' } },
    });
    if (positionals.length === 0) return undefined;
    return {
      files: positionals,
      dryRun: values['dry-run'] ?? false,
      resetPasswords: values['reset-passwords'] ?? false,
    };
  } catch {
    return undefined;
  }
}

function readSources(files: readonly string[]): Source[] | undefined {
  try {
    return files.map(name => ({ name, text: readFileSync(name, 'utf8') }));
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    return undefined;
  }
}

async function applyFile(services: Services, file: ApplyFile, options: Options): Promise<number> {
  const { changes, lines, faults } = await planChanges(services, file, options);
  if (faults.length > 0) {
    for (const fault of faults) process.stderr.write(`${fault}\n`);
    return EXIT.data;
  }
  const outcome = await services.store.provision(changes, options.dryRun);
  if (outcome.kind === 'loginTaken') {
    process.stderr.write(`${placeOf(file, outcome.loginName)}: belongs to another user already\n`);
    return EXIT.data;
  }
  const shown = options.dryRun ? lines.filter(line => !line.includes('(generated, shown only now)')) : lines;
  process.stdout.write(shown.length === 0 ? 'Nothing to change.\n' : `${shown.join('\n')}\n`);
  return EXIT.ok;
}

/** The place in the file of the login name that belongs to another user. */
function placeOf(file: ApplyFile, taken: string): string {
  for (const [index, user] of file.users.entries()) {
    for (const field of ['username', 'email', 'phone_number'] as const) {
      if (loginName(user[field] ?? '') === taken) return `users[${index}].${field}`;
    }
  }
  return 'users';
}
