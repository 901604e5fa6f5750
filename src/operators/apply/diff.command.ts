import type { Command } from '../cli/command.ts';
import { EXIT } from '../cli/exit.ts';
import { plannedLine, toJson } from './difference.ts';
import { PLAN_HELP, readPlanningOptions, runPlan } from './planning.ts';

export const diff: Command = {
  worksRemotely: true,
  help: `Usage: gatehouse diff [--prune] [--reset-passwords] [--json] FILE…

Prints what "gatehouse apply" with the same files and options would create (+), change (~) and delete (-), and changes nothing.
- as a file is standard input. Exits 0 if nothing would change, 1 if something would, and 65 if a file has a fault.

${PLAN_HELP}

Example: gatehouse export | gatehouse diff -`,

  async run(args, context) {
    const options = readPlanningOptions(args, false);
    return runPlan(diff, options, context, ({ differences }) => {
      const lines = differences.map(plannedLine);
      const text = options?.json
        ? JSON.stringify({ changes: differences.map(one => toJson(one, 'no secret')) }, null, 2)
        : lines.join('\n') || 'Nothing to change.';
      context.stdout.write(`${text}\n`);
      return differences.length === 0 ? EXIT.ok : EXIT.differs;
    });
  },
};
