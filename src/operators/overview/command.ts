import { parseArguments } from '../cli/arguments.ts';
import type { Command } from '../cli/command.ts';
import { EXIT } from '../cli/exit.ts';
import { printResult } from '../cli/print-result.ts';
import { withOperations } from '../cli/with-operations.ts';
import type { Status } from './deployment.console.ts';

export const status: Command = {
  worksRemotely: true,
  help: `Usage: gatehouse status [--json]

Prints which nodes serve, with their versions and when they were last seen, the
database with its size and latency, what waits to be sent or sealed, and the
signing keys whose rotation is due within 7 days, and the last backup that is
known. --json prints one document.

Example: gatehouse status --json`,

  async run(args, context) {
    const json = readOptions(args);
    if (json === undefined) {
      context.stderr.write(`${status.help}\n`);
      return EXIT.usage;
    }
    return withOperations(context, async perform => {
      const outcome = await perform('getStatus', {});
      if (outcome.kind !== 'done') {
        context.stderr.write('the API key is limited to applications: the status is that of the whole deployment\n');
        return EXIT.noPermission;
      }
      const found = outcome.value as Status;
      context.stdout.write(json ? printResult(found, true) : textOf(found));
      return EXIT.ok;
    });
  },
};

function textOf({ nodes, database, database_workers, queues, event_streams, keys_due, last_backup }: Status): string {
  const sections = [
    ['Nodes', printResult({ items: nodes }, false)],
    ['Database', printResult(database, false)],
    ...(database_workers.length > 0 ? [['Database workers', printResult({ items: database_workers }, false)]] : []),
    ['Waiting', printResult(queues, false)],
    ...(event_streams.length > 0 ? [['Event streams', printResult({ items: event_streams }, false)]] : []),
    ['Keys due for rotation', printResult({ items: keys_due }, false)],
    ['Last backup', printResult(last_backup ?? { kind: 'none known' }, false)],
  ];
  return sections.map(([title, lines]) => `${title}\n${lines}`).join('\n');
}

/** Whether JSON is asked for; undefined: the arguments are wrong. */
function readOptions(args: readonly string[]): boolean | undefined {
  try {
    return parseArguments({ args: [...args], options: { json: { type: 'boolean', default: false } } }).values.json;
  } catch {
    return undefined;
  }
}
