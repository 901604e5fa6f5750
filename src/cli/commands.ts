import { becomeServer } from './become-server.ts';
import type { Command } from './command.ts';
import { type Environment, EXIT } from './exit.ts';
import { nouns } from './nouns.ts';

/**
 * The operator's commands, `gatehouse <command>`: a file for each in this folder. The server starts from here too:
 *
 *   become-server.ts  `gatehouse` and `gatehouse serve`
 *   serve.ts      one process, or with GATEHOUSE_WORKERS above 1 the primary of several
 *   serving.ts    what a serving process does: open, prepare, listen, drain
 *   workers.ts    the primary; worker.ts a worker; worker-channel.ts the messages between them
 *
 * Commands print results to standard output and faults to standard error, and exit with a code of exit.ts. Only the one that
 * runs is loaded: most need less than half of the modules that all of them need.
 */
const commands: ReadonlyMap<string, () => Promise<Command>> = new Map([
  ['apply', async () => (await import('./apply.ts')).apply],
  ['check-config', async () => (await import('./check-config.ts')).checkConfig],
  ['copy', async () => (await import('./copy.ts')).copy],
  ['diff', async () => (await import('./diff.ts')).diff],
  ['events', async () => (await import('./events.ts')).events],
  ['export', async () => (await import('./export.ts')).exportCommand],
  ['explain', async () => (await import('./explain.ts')).explain],
  ['import', async () => (await import('./import.ts')).importCommand],
  ['keys', async () => (await import('./keys.ts')).keys],
  ['migrate', async () => (await import('./migrate.ts')).migrate],
  ['serve', async () => SERVE],
  ['sessions', async () => (await import('./sessions.ts')).sessions],
  ['status', async () => (await import('./status.ts')).status],
  ...Object.entries(nouns).map(([name, noun]): [string, () => Promise<Command>] => [
    name,
    async () => (await import('./operation-command.ts')).operationCommand(name, noun),
  ]),
]);

const SERVE: Command = {
  summary: 'start the server; "gatehouse" without a command does the same',
  help: 'Usage: gatehouse serve\n\nStarts the server, as "gatehouse" without a command does. Settings come from the environment: see\ndocs/configuration.md.\n\nExample: PORT=8080 gatehouse serve',
  run: async (_args, env) => becomeServer(env),
};

/** All of them, by name. */
export async function loadCommands(): Promise<ReadonlyMap<string, Command>> {
  const loaded = [...commands].map(async ([name, load]): Promise<[string, Command]> => [name, await load()]);
  return new Map(await Promise.all(loaded));
}

export async function runCommand([name = 'serve', ...args]: readonly string[], env: Environment): Promise<number> {
  if (name === '--help' || name === 'help') {
    process.stdout.write(`${await usage()}\n`);
    return EXIT.ok;
  }
  const command = await commands.get(name)?.();
  if (!command) {
    process.stderr.write(`gatehouse: there is no command "${name}"\n\n${await usage()}\n`);
    return EXIT.usage;
  }
  if (args.includes('--help')) {
    process.stdout.write(`${command.help}\n`);
    return EXIT.ok;
  }
  return command.run(args, env);
}

async function usage(): Promise<string> {
  const rows = [...(await loadCommands())].map(([name, { summary }]) => `  ${name.padEnd(14)}${summary}`);
  return ['Usage: gatehouse <command> [options]', '', ...rows, '', 'gatehouse <command> --help says more.'].join('\n');
}
