import type { Command } from '../cli/command.ts';
import { EXIT } from '../cli/exit.ts';
import { appliedLines, toJson } from './difference.ts';
import { PLAN_HELP, readPlanningOptions, runPlan } from './planning.ts';

export const apply: Command = {
  worksRemotely: true,
  help: `Usage: gatehouse apply [--dry-run] [--yes] [--prune] [--reset-passwords] [--json] FILE…

Creates and changes applications, clients and users as the files (YAML or JSON; - is standard input) say, and prints what
changed. Applying the same files again changes nothing. What the files leave out stays as it is; null gives a field its default.
If a file has a fault, the command prints its place, changes nothing and exits 65.

An empty list of clients, APIs or token exchange policies removes those of its application. That needs a yes on the terminal, or
--yes; without either the command changes nothing and exits 77.

  --dry-run           print what would change, change nothing
  --yes               remove without a question what the files name as empty lists
${PLAN_HELP}

Example: gatehouse apply --prune --dry-run shop.yaml staff.yaml`,

  async run(args, context) {
    const options = readPlanningOptions(args, true);
    return runPlan(apply, options, context, ({ differences }) => {
      // A secret that was not stored must not be shown.
      const shown = options?.dryRun ? differences.map(({ generatedSecret: _, ...rest }) => rest) : differences;
      if (options?.json) {
        context.stdout.write(`${JSON.stringify({ changes: shown.map(one => toJson(one, 'new secrets')) }, null, 2)}\n`);
        return EXIT.ok;
      }
      const lines = shown.flatMap(appliedLines);
      context.stdout.write(lines.length === 0 ? 'Nothing to change.\n' : `${lines.join('\n')}\n`);
      return EXIT.ok;
    });
  },
};
