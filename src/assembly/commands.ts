import type { Command, CommandContext, CommandTools } from '../operators/cli/command.ts';
import { EXIT } from '../operators/cli/exit.ts';
import { type Noun, nouns } from '../operators/cli/nouns.ts';
import { releaseVersion } from '../platform/release.ts';
import { becomeServer } from './become-server.ts';

interface Entry {
  readonly summary: string;
  load(): Promise<Command>;
}

/**
 * The operator's commands, `gatehouse <command>`: a file for each in this folder. The server starts from here too:
 *
 *   become-server.ts  `gatehouse serve`
 *   serve.ts      one process, or with GATEHOUSE_WORKERS above 1 the primary of several
 *   serving.ts    what a serving process does: open, prepare, listen, drain
 *   workers.ts    the primary; worker.ts a worker; worker-channel.ts the messages between them
 *
 * Commands print results to standard output and faults to standard error, and exit with a code of operators/cli/exit.ts. Only the one that
 * runs is loaded: most need less than half of the modules that all of them need.
 */
const commands: Readonly<Record<string, Entry>> = {
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
  ...Object.fromEntries(Object.entries(nouns).map(([name, noun]) => [name, entryOf(name, noun)])),
};

function entryOf(name: string, noun: Noun): Entry {
  return {
    summary: noun.summary,
    load: async () => (await import('../operators/cli/operation-command.ts')).operationCommand(name, noun),
  };
}

const SERVE: Command = {
  help: 'Usage: gatehouse serve\n\nStarts the server. Settings come from the environment: see\ndocs/configuration.md.\n\nExample: PORT=8080 gatehouse serve',
  run: async (_args, { env }) => becomeServer(env),
};

/** Loaded when a command calls them: most of what a server consists of. */
const tools: Omit<CommandTools, keyof CommandContext> = {
  buildServices: async (config, log, overrides) => {
    const [{ buildServices }, { commandTables }] = await Promise.all([import('./services.ts'), import('./tables.ts')]);
    return buildServices(config, log, { tables: commandTables(), ...overrides });
  },
  operations: {
    find: async id => (await import('./tables.ts')).commandTables().operations.find(id),
  },
  fields: async () => (await import('./tables.ts')).commandTables().fields(),
  migrateStore: async (...args) => (await import('./open-store.ts')).migrateStore(...args),
  storeTables: async () => (await import('./store-tables.ts')).storeTables(),
};

/** All of them, by name. */
export async function loadCommands(): Promise<ReadonlyMap<string, Command>> {
  const loaded = Object.entries(commands).map(async ([name, { load }]) => [name, await load()] as const);
  return new Map(await Promise.all(loaded));
}

/** The whole program but for the process: resolves with the exit code. */
export async function runCommand(
  [name = 'help', ...args]: readonly string[],
  context: CommandContext,
): Promise<number> {
  const { stdout, stderr } = context;
  const print = (text: string) => {
    stdout.write(`${text}\n`);
    return EXIT.ok;
  };
  if (name === '--help' || name === 'help') return print(usage());
  if (name === '--version') return print(releaseVersion());
  const command = Object.hasOwn(commands, name) ? await commands[name]?.load() : undefined;
  if (!command) {
    stderr.write(`gatehouse: there is no command "${name}"\n\n${usage()}\n`);
    return EXIT.usage;
  }
  return args.includes('--help') ? print(command.help) : command.run(args, { ...context, ...tools });
}

function usage(): string {
  const rows = Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(14)}${summary}`);
  const more = 'gatehouse <command> --help says more; gatehouse --version prints the version.';
  return ['Usage: gatehouse <command> [options]', '', ...rows, '', more].join('\n');
}
