import type { Capability } from '../capability.ts';
import type { Command, CommandContext, CommandTools } from '../operators/cli/command.ts';
import { EXIT } from '../operators/cli/exit.ts';
import type { WholeNoun } from '../operators/cli/noun.ts';
import type { RemoteSettings } from '../operators/cli/remote.ts';
import { releaseVersion } from '../platform/release.ts';
import { becomeServer } from './become-server.ts';

interface Entry {
  readonly summary: string;
  load(): Promise<Command>;
}
type Commands = Readonly<Record<string, Entry>>;

/**
 * The operator's commands, `gatehouse <command>`: a file for each in this folder. The server starts from here too:
 *
 *   become-server.ts  `gatehouse serve`
 *   serve.ts      one process, or with GATEHOUSE_WORKERS above 1 the primary of several
 *   serving.ts    what a serving process does: open, prepare, listen, drain
 *   workers.ts    the primary; worker.ts a worker; worker-channel.ts the messages between them
 *
 * Commands print results to standard output and faults to standard error, and exit with a code of operators/cli/exit.ts. Only the one that
 * runs is loaded: most need less than half of the modules that all of them need. Commands over operations are declared by their
 * capabilities (`nouns`).
 */
const commands: Commands = {
  apply: {
    summary: 'bring applications, clients and users to what files say',
    load: async () => (await import('../operators/apply/apply.command.ts')).apply,
  },
  backup: {
    summary: 'write a copy of the embedded store while the server runs',
    load: async () => (await import('../operators/backup/command.ts')).backup,
  },
  'check-config': {
    summary: 'check the settings in the environment without starting',
    load: async () => (await import('../operators/cli/check-config.ts')).checkConfig,
  },
  copy: {
    summary: 'move everything to another store, as from SQLite to PostgreSQL',
    load: async () => (await import('../operators/copy-database/command.ts')).copy,
  },
  diff: {
    summary: 'show what "apply" would change',
    load: async () => (await import('../operators/apply/diff.command.ts')).diff,
  },
  events: {
    summary: 'list and verify the audit log',
    load: async () => (await import('../audit/events/command.ts')).events,
  },
  export: {
    summary: 'write the store as an apply file, without secrets',
    load: async () => (await import('../operators/apply/export.command.ts')).exportCommand,
  },
  explain: {
    summary: 'tell why a request was refused',
    load: async () => (await import('../audit/explain/command.ts')).explain,
  },
  import: {
    summary: 'add users from a CSV or JSON lines file of another system',
    load: async () => (await import('../operators/import/command.ts')).importCommand,
  },
  keys: {
    summary: 'list and rotate the signing keys of an application',
    load: async () => (await import('../oauth/signing-keys/command.ts')).keys,
  },
  migrate: {
    summary: 'bring the schema of the store up to date without starting',
    load: async () => (await import('../operators/cli/migrate.ts')).migrate,
  },
  serve: {
    summary: 'start the server',
    load: async () => SERVE,
  },
  sessions: {
    summary: 'list and end the browser sessions of a user',
    load: async () => (await import('../people/sessions/command.ts')).sessions,
  },
  status: {
    summary: 'nodes, database, queue lengths and signing keys due',
    load: async () => (await import('../operators/overview/command.ts')).status,
  },
};

/** With those over operations, which only help and their own nouns need. */
async function allCommands(declared: Declared): Promise<Commands> {
  const { nounsOf } = await import('./nouns.ts');
  return { ...commands, ...Object.fromEntries([...nounsOf(await declared())].map(entryOf)) };
}

/** Loaded when a command needs them. */
type Declared = () => Promise<readonly Capability[]>;
const everyCapability: Declared = async () => (await import('../capabilities.ts')).capabilities;

function entryOf([name, noun]: readonly [string, WholeNoun]): [string, Entry] {
  const load = async () => (await import('../operators/cli/operation-command.ts')).operationCommand(name, noun);
  return [name, { summary: noun.summary, load }];
}

const SERVE: Command = {
  help: 'Usage: gatehouse serve\n\nStarts the server. Settings come from the environment: see\ndocs/configuration.md.\n\nExample: PORT=8080 gatehouse serve',
  run: async (_args, { env }) => becomeServer(env),
};

/** Loaded when a command calls them: most of what a server consists of. */
function toolsOf(declared: Declared): Omit<CommandTools, keyof CommandContext> {
  const tables = async () => (await import('./tables.ts')).commandTables(await declared());
  return {
    buildServices: async (config, log, overrides) => {
      const [{ buildServices }, own] = await Promise.all([import('./services.ts'), tables()]);
      return buildServices(config, log, { tables: own, ...overrides });
    },
    operations: {
      find: async id => (await tables()).operations.find(id),
      address: async id => (await tables()).operations.address(id),
    },
    fields: async () => (await tables()).fields(),
    migrateStore: async (...args) => (await import('./open-store.ts')).migrateStore(...args),
    storeTables: async () => (await import('./store-tables.ts')).storeTables(await declared()),
  };
}

/** All of them, by name. */
export async function loadCommands(): Promise<ReadonlyMap<string, Command>> {
  const loaded = Object.entries(await allCommands(everyCapability)).map(
    async ([name, { load }]) => [name, await load()] as const,
  );
  return new Map(await Promise.all(loaded));
}

/** The whole program but for the process: resolves with the exit code. `declared`: what a test has instead of capabilities.ts. */
export async function runCommand(
  given: readonly string[],
  context: CommandContext,
  declared: Declared = everyCapability,
): Promise<number> {
  try {
    const { splitArguments } = await import('../operators/cli/remote.ts');
    const { args, remote } = splitArguments(given, context);
    return await runSplit(args, remote, context, declared);
  } catch (error) {
    if (!(error instanceof Error && 'exitCode' in error)) throw error;
    context.stderr.write(`${error.message}\n`);
    return Number(error.exitCode);
  }
}

async function runSplit(
  [name = 'help', ...args]: readonly string[],
  remote: RemoteSettings | undefined,
  context: CommandContext,
  declared: Declared,
): Promise<number> {
  const { stdout, stderr } = context;
  const print = (text: string) => {
    stdout.write(`${text}\n`);
    return EXIT.ok;
  };
  if (name === '--help' || name === 'help') return print(usage(await allCommands(declared)));
  if (name === '--version') return print(releaseVersion());
  const known = Object.hasOwn(commands, name) ? commands : await allCommands(declared);
  const command = Object.hasOwn(known, name) ? await known[name]?.load() : undefined;
  if (!command) {
    stderr.write(`gatehouse: there is no command "${name}"\n\n${usage(known)}\n`);
    return EXIT.usage;
  }
  if (args.includes('--help')) return print(command.help);
  const tools = { ...context, ...toolsOf(declared) };
  if (!remote) return command.run(args, tools);
  const { notRemote } = await import('../operators/cli/with-operations.ts');
  const { RemoteFault, remoteServer } = await import('../operators/cli/remote.ts');
  if (!command.worksRemotely) throw new RemoteFault(notRemote(name), EXIT.usage);
  return command.run(args, { ...tools, remote: remoteServer(remote, tools.operations.address) });
}

function usage(all: Commands): string {
  const rows = Object.entries(all).map(([name, { summary }]) => `  ${name.padEnd(14)}${summary}`);
  const more = 'gatehouse <command> --help says more; gatehouse --version prints the version.';
  return ['Usage: gatehouse [--server URL] <command> [options]', ...rows, more].join('\n');
}
