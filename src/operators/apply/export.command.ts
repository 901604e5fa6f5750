import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Services } from '../../services.ts';
import { parseArguments } from '../cli/arguments.ts';
import type { Command, CommandContext } from '../cli/command.ts';
import { EXIT } from '../cli/exit.ts';
import { createProgress } from '../cli/progress.ts';
import { withServices } from '../cli/with-services.ts';
import { type ExportOptions, exportText } from './export.ts';

export const exportCommand: Command = {
  help: `Usage: gatehouse export [--json] [--app CODE] [--no-users] [--password-hashes] [--credentials]

Prints applications, clients and users as an apply file (YAML), which "gatehouse diff" calls equal to the store. Client secrets,
passwords, second factors, signing keys, sessions, consents and tokens are left out. The same content always gives the same text.
Each entry is checked as "gatehouse apply" checks it: where a stored value is older than a rule that refuses it, the file is
written all the same, standard error names the value, and the command exits 65.

  --app CODE          only this application, and no users: they belong to no application
  --no-users          applications and clients only
  --password-hashes   with the hashes of the passwords, to move users to another store: keep such a file as safe as the database
  --credentials       with all that users sign in with: password hashes, passkeys, and the keys of authenticator apps in the
                      clear; recovery codes are left out
  --json              JSON instead of YAML, one entry on each line

Example: gatehouse export --no-users > applications.yaml`,

  async run(args, context) {
    const options = readOptions(args);
    if (!options) {
      context.stderr.write(`${exportCommand.help}\n`);
      return EXIT.usage;
    }
    // Keys of authenticator apps are decrypted: one that no secret opens must not be left out without a word.
    return withServices(context, services => write(services, options, context), {
      skipSecretCheck: !options.credentials,
    });
  },
};

function readOptions(args: readonly string[]): ExportOptions | undefined {
  try {
    const flag = { type: 'boolean', default: false } as const;
    const { values } = parseArguments({
      args: [...args],
      options: { app: { type: 'string' }, json: flag, 'no-users': flag, 'password-hashes': flag, credentials: flag },
    });
    const users = values.app === undefined && !values['no-users'];
    if ((values['password-hashes'] || values.credentials) && !users) return undefined;
    return {
      format: values.json ? 'json' : 'yaml',
      app: values.app,
      users,
      passwordHashes: values['password-hashes'],
      credentials: values.credentials,
    };
  } catch {
    return undefined;
  }
}

async function write(services: Services, options: ExportOptions, context: CommandContext): Promise<number> {
  const { stdout, stderr } = context;
  if (options.app !== undefined && !(await services.store.findApplication(options.app))) {
    stderr.write(`there is no application "${options.app}"\n`);
    return EXIT.data;
  }
  const progress = createProgress('exported', undefined, context);
  let exported = 0;
  const onEntries = (entries: number) => {
    exported += entries;
    progress.show(0, exported);
  };
  const faults: string[] = [];
  const onFault = (fault: string) => void faults.push(fault);
  // On a terminal that also shows the file, the progress would be between its lines.
  const shown = stdout.isTTY ? { ...options, onFault } : { ...options, onFault, onEntries };
  try {
    // Waits where the reader is slower than the store, so that memory stays the same.
    await pipeline(Readable.from(exportText(services, shown)), stdout, { end: false });
  } catch (error) {
    // The reader has read enough, such as `head`.
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error;
  } finally {
    progress.end();
  }
  for (const fault of faults) stderr.write(`${fault}\n`);
  return faults.length === 0 ? EXIT.ok : EXIT.data;
}
