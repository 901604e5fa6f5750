import { apply } from './apply.ts';
import { becomeServer } from './become-server.ts';
import { checkConfig } from './check-config.ts';
import type { Command } from './command.ts';
import { copy } from './copy.ts';
import { diff } from './diff.ts';
import { events } from './events.ts';
import { type Environment, EXIT } from './exit.ts';
import { explain } from './explain.ts';
import { exportCommand } from './export.ts';
import { importCommand } from './import.ts';
import { keys } from './keys.ts';
import { migrate } from './migrate.ts';
import { nouns } from './nouns.ts';
import { operationCommand } from './operation-command.ts';
import { sessions } from './sessions.ts';
import { status } from './status.ts';

/**
 * The operator's commands, `gatehouse <command>`: a file for each in this folder. The server starts from here too:
 *
 *   become-server.ts  `gatehouse` and `gatehouse serve`
 *   serve.ts      one process, or with GATEHOUSE_WORKERS above 1 the primary of several
 *   serving.ts    what a serving process does: open, prepare, listen, drain
 *   workers.ts    the primary; worker.ts a worker; worker-channel.ts the messages between them
 *
 * Commands print results to standard output and faults to standard error, and exit with a code of exit.ts.
 */
export const commands: ReadonlyMap<string, Command> = new Map<string, Command>([
  ['apply', apply],
  ['check-config', checkConfig],
  ['copy', copy],
  ['diff', diff],
  ['events', events],
  ['export', exportCommand],
  ['explain', explain],
  ['import', importCommand],
  ['keys', keys],
  ['migrate', migrate],
  [
    'serve',
    {
      summary: 'start the server; "gatehouse" without a command does the same',
      help: 'Usage: gatehouse serve\n\nStarts the server, as "gatehouse" without a command does. Settings come from the environment: see\ndocs/configuration.md.\n\nExample: PORT=8080 gatehouse serve',
      run: async (_args, env) => becomeServer(env),
    },
  ],
  ['sessions', sessions],
  ['status', status],
  ...Object.entries(nouns).map(([name, noun]): [string, Command] => [name, operationCommand(name, noun)]),
]);

export async function runCommand([name = 'serve', ...args]: readonly string[], env: Environment): Promise<number> {
  if (name === '--help' || name === 'help') {
    process.stdout.write(`${usage()}\n`);
    return EXIT.ok;
  }
  const command = commands.get(name);
  if (!command) {
    process.stderr.write(`gatehouse: there is no command "${name}"\n\n${usage()}\n`);
    return EXIT.usage;
  }
  if (args.includes('--help')) {
    process.stdout.write(`${command.help}\n`);
    return EXIT.ok;
  }
  return command.run(args, env);
}

function usage(): string {
  const rows = [...commands].map(([name, { summary }]) => `  ${name.padEnd(14)}${summary}`);
  return ['Usage: gatehouse <command> [options]', '', ...rows, '', 'gatehouse <command> --help says more.'].join('\n');
}
