import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import type { Services } from '../../services.ts';
import { parseArguments } from '../cli/arguments.ts';
import type { Command, CommandTools, Input, Output } from '../cli/command.ts';
import { EXIT } from '../cli/exit.ts';
import { createProgress, showWhile } from '../cli/progress.ts';
import { withServices } from '../cli/with-services.ts';
import { type ApplyFileResult, readApplyFiles, type Source } from './apply-file.ts';
import { type ApplyTarget, carryOut, type Planned } from './carry-out.ts';
import { confirmRemovals } from './confirm-removals.ts';
import type { PlanOptions } from './plan-step.ts';
import { applyAt } from './remote.ts';

/** What `apply` and `diff` share: the files, the options that decide the plan, and the faults. */
export interface PlanningOptions extends PlanOptions {
  readonly files: readonly string[];
  readonly json: boolean;
  /** Removes without a question. */
  readonly yes: boolean;
}

/** The options of the plan, for the help of both commands. */
export const PLAN_HELP = `  --prune             also delete the applications that no file names, and the clients, APIs and token exchange
                      policies that the entry of their application does not name, and the identity providers and
                      users' links that a list of them does not name; a deleted application is kept for 30 days and
                      comes back when a file names it again, a deleted client is gone with its tokens
  --prune-users       with --prune: also delete the users that no file names, but no operator
  --allow-empty       prune also if no file names an application (or, with --prune-users, a user): all are deleted
  --reset-passwords   set the passwords in the files for existing users too, and end their sessions and tokens
  --json              print one JSON document`;

/** Undefined: the arguments are wrong. */
export function readPlanningOptions(args: readonly string[], mayWrite: boolean): PlanningOptions | undefined {
  try {
    const flag = { type: 'boolean', default: false } as const;
    const { values, positionals } = parseArguments({
      args: [...args],
      allowPositionals: true,
      options: {
        ...(mayWrite ? { 'dry-run': flag, yes: flag } : {}),
        prune: flag,
        'prune-users': flag,
        'allow-empty': flag,
        'reset-passwords': flag,
        json: flag,
      },
    });
    if (positionals.length === 0 || (values['prune-users'] && !values.prune)) return undefined;
    return {
      files: positionals,
      dryRun: !mayWrite || (values['dry-run'] as boolean),
      prune: values.prune,
      pruneUsers: values['prune-users'],
      allowEmpty: values['allow-empty'],
      resetPasswords: values['reset-passwords'],
      json: values.json,
      yes: mayWrite && (values.yes as boolean),
    };
  } catch {
    return undefined;
  }
}

/** Reads the files, plans, and writes unless it is a dry run. A fault is printed with its place and becomes the exit code. */
export async function runPlan(
  command: Command,
  options: PlanningOptions | undefined,
  context: CommandTools,
  report: (plan: Planned) => number,
): Promise<number> {
  const { stderr } = context;
  if (options === undefined) {
    stderr.write(`${command.help}\n`);
    return EXIT.usage;
  }
  let sources: readonly Source[];
  try {
    sources = await readSources(options.files, context.stdin);
  } catch (error) {
    stderr.write(`${(error as Error).message}\n`);
    return EXIT.noInput;
  }
  const read = readApplyFiles(await (context.overrides?.tables ?? context).fields(), sources);
  if (read.kind === 'faulty') return faulty(read.faults, stderr);
  if (context.remote) return toTheEnd(applyAt(context.remote, read.given), read, options, context, report);
  return withServices(context, async services => {
    return toTheEnd(applyTo(services, context), read, options, context, report);
  });
}

/** Asks for a yes where something would be removed that the operator has not seen. */
async function toTheEnd(
  target: ApplyTarget,
  { file, describe }: Extract<ApplyFileResult, { kind: 'valid' }>,
  options: PlanningOptions,
  context: CommandTools,
  report: (plan: Planned) => number,
): Promise<number> {
  const { stderr } = context;
  let outcome = await target(file, options, options.prune || options.yes ? 'all' : []);
  if (outcome.kind === 'unconfirmed') {
    if (!(await confirmRemovals(outcome.removals, context))) return EXIT.noPermission;
    // The store may have changed while the question was open: what others have written meanwhile must not be lost. On SQLite the reads
    // of one turn of the event loop share a snapshot, and the answer may have come within the turn of the first comparison.
    await setImmediate();
    outcome = await target(file, options, outcome.removals);
  }
  if (outcome.kind === 'unconfirmed') {
    stderr.write('the store has changed meanwhile: there is more to remove. Try again\n');
    return EXIT.data;
  }
  if (outcome.kind === 'faulty') return faulty(outcome.faults.map(describe), stderr);
  if (outcome.kind === 'alreadyAnswered') throw new Error('a command has no Idempotency-Key');
  for (const note of outcome.plan.notes) stderr.write(`${note}\n`);
  return report(outcome.plan);
}

/** That many may take a second. On SQLite they are written without a pause, so that nothing can be shown meanwhile. */
const MANY = 500;

function applyTo(services: Services, context: CommandTools): ApplyTarget {
  return async (file, options, confirmed) => {
    const progress = createProgress('compared', file.applications.length + file.users.length, context);
    let compared = 0;
    const onCompared = (entries: number) => {
      compared += entries;
      progress.show(compared, compared);
    };
    const onWrite = <T>(changes: number, write: () => Promise<T>) => {
      progress.end();
      return showWhile(`writing ${changes} changes`, changes > MANY, context.stderr, write);
    };
    try {
      return await carryOut(services, file, { ...options, onCompared }, confirmed, { onWrite });
    } finally {
      progress.end();
    }
  };
}

function faulty(faults: readonly string[], stderr: Output): number {
  for (const fault of faults) stderr.write(`${fault}\n`);
  return EXIT.data;
}

const STANDARD_INPUT = '-';

async function readSources(files: readonly string[], stdin: Input): Promise<Source[]> {
  const input = files.includes(STANDARD_INPUT) ? await text(stdin) : '';
  return files.map(name => ({ name, text: name === STANDARD_INPUT ? input : readFileSync(name, 'utf8') }));
}
