import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Services } from '../../services.ts';
import { parseArguments } from '../cli/arguments.ts';
import type { Command, CommandContext, CommandTools } from '../cli/command.ts';
import { EXIT } from '../cli/exit.ts';
import { createProgress } from '../cli/progress.ts';
import type { RemoteServer } from '../cli/remote.ts';
import { performAt, refuseRemotely } from '../cli/with-operations.ts';
import { withServices } from '../cli/with-services.ts';
import { type ExportOptions, entriesText, exportText } from './export.ts';
import { attributesAt, entriesAt } from './remote.ts';

export const exportCommand: Command = {
  worksRemotely: true,
  help: `Usage: gatehouse export [--json] [--app CODE] [--no-users] [--password-hashes] [--credentials]

Prints applications, clients and users as an apply file (YAML), which "gatehouse diff" calls equal to the store. Client secrets,
passwords, second factors, signing keys, sessions, consents and tokens are left out. The same content always gives the same text.
Each entry is checked as "gatehouse apply" checks it: where a stored value is older than a rule that refuses it, the file is
written all the same, standard error names the value, and the command exits 65.

  --app CODE          only this application, and no users: they belong to no application
  --no-users          all but users
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
    const { remote } = context;
    if (remote) {
      if (options.passwordHashes || options.credentials) refuseRemotely(context, 'export of what users sign in with');
      return write(await textAt(remote, options, context), options, context);
    }
    // Keys of authenticator apps are decrypted: one that no secret opens must not be left out without a word.
    return withServices(context, async services => write(await textOf(services, options), options, context), {
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

/** Undefined: there is no such application. */
type ExportedText = ((options: ExportOptions) => AsyncGenerator<string>) | undefined;

async function textOf(services: Services, { app }: ExportOptions): Promise<ExportedText> {
  if (app !== undefined && !(await services.store.findApplication(app))) return undefined;
  return shown => exportText(services, shown);
}

async function textAt(
  remote: RemoteServer,
  { app, users }: ExportOptions,
  context: CommandTools,
): Promise<ExportedText> {
  if (app !== undefined) {
    const found = await performAt(remote)('getApplication', { params: { code: app } });
    if (found.kind !== 'done') return undefined;
  }
  const fields = await context.fields();
  const applications = entriesAt(remote, 'exportApplications', {
    filter: app === undefined ? {} : { application: app },
  });
  // A key that is limited to applications sees no providers, and is refused at the first list where it asks for users.
  const providers = app === undefined ? entriesAt(remote, 'exportProviders', { skipsIfLimited: !users }) : undefined;
  const attributes = app === undefined ? await attributesAt(remote) : [];
  const all = users ? entriesAt(remote, 'exportUsers') : undefined;
  return shown => entriesText(fields, { attributes, providers, applications, users: all }, shown);
}

async function write(text: ExportedText, options: ExportOptions, context: CommandContext): Promise<number> {
  const { stdout, stderr } = context;
  if (!text) {
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
    await pipeline(Readable.from(text(shown)), stdout, { end: false });
  } catch (error) {
    // The reader has read enough, such as `head`.
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error;
  } finally {
    progress.end();
  }
  for (const fault of faults) stderr.write(`${fault}\n`);
  return faults.length === 0 ? EXIT.ok : EXIT.data;
}
