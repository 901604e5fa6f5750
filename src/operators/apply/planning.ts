import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { loginName } from '../../directory/users/login-name.rules.ts';
import { passkeyIdOf } from '../../people/passkey/rules.ts';
import type { Services } from '../../services.ts';
import { parseArguments } from '../cli/arguments.ts';
import type { Command, CommandTools, Input, Output } from '../cli/command.ts';
import { EXIT } from '../cli/exit.ts';
import { createProgress, showWhile } from '../cli/progress.ts';
import { withServices } from '../cli/with-services.ts';
import { lastOwnerFault } from '../roles/last-owner-fault.ts';
import { eventsOf } from './applied-events.ts';
import { readApplyFiles, type Source } from './apply-file.ts';
import { confirmRemovals } from './confirm-removals.ts';
import type { Difference } from './difference.ts';
import type { Fault } from './fault.ts';
import type { ApplyFile } from './file-schema.ts';
import { passkeyTakenFault } from './passkey-taken-fault.ts';
import { isRemoval, type Plan, planChanges } from './plan.ts';
import type { PlanOptions } from './plan-step.ts';

/** What `apply` and `diff` share: the files, the options that decide the plan, and the faults. */
export interface PlanningOptions extends PlanOptions {
  readonly files: readonly string[];
  readonly json: boolean;
  /** Removes without a question. */
  readonly yes: boolean;
}

/** The options of the plan, for the help of both commands. */
export const PLAN_HELP = `  --prune             also delete the applications that no file names, and the clients, APIs and token exchange
                      policies that the entry of their application does not name; a deleted application is kept for
                      30 days and comes back when a file names it again, a deleted client is gone with its tokens
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
  report: (plan: Plan) => number,
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
  return withServices(context, async services => {
    const outcome = await carryOut(services, read.file, options, context);
    if (outcome.kind === 'faulty') return faulty(outcome.faults.map(read.describe), stderr);
    if (outcome.kind === 'unconfirmed') return EXIT.noPermission;
    for (const note of outcome.plan.notes) stderr.write(`${note}\n`);
    return report(outcome.plan);
  });
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

/** That many may take a second. On SQLite they are written without a pause, so that nothing can be shown meanwhile. */
const MANY = 500;

async function compare(
  services: Services,
  file: ApplyFile,
  options: PlanningOptions,
  context: CommandTools,
): Promise<Plan> {
  const progress = createProgress('compared', file.applications.length + file.users.length, context);
  let compared = 0;
  const onCompared = (entries: number) => {
    compared += entries;
    progress.show(compared, compared);
  };
  try {
    return await planChanges(services, file, { ...options, onCompared });
  } finally {
    progress.end();
  }
}

type Outcome =
  | { readonly kind: 'done'; readonly plan: Plan }
  | { readonly kind: 'faulty'; readonly faults: readonly Fault[] }
  /** The plan removes something, and nobody has said yes. */
  | { readonly kind: 'unconfirmed' };

async function carryOut(
  services: Services,
  file: ApplyFile,
  options: PlanningOptions,
  context: CommandTools,
): Promise<Outcome> {
  const { stderr } = context;
  const first = await compare(services, file, options, context);
  if (first.faults.length > 0) return { kind: 'faulty', faults: first.faults };
  const removals = options.dryRun || options.prune || options.yes ? [] : first.differences.filter(isRemoval);
  if (removals.length === 0) return provision(services, file, first, options, stderr);
  if (!(await confirmRemovals(removals, context))) return { kind: 'unconfirmed' };
  // The store may have changed while the question was open: what others have written meanwhile must not be lost. On SQLite the reads
  // of one turn of the event loop share a snapshot, and the answer may have come within the turn of the first comparison.
  await setImmediate();
  const plan = await compare(services, file, options, context);
  if (plan.faults.length > 0) return { kind: 'faulty', faults: plan.faults };
  const isAnswered = (removal: Difference) => removals.some(({ object }) => isDeepStrictEqual(object, removal.object));
  if (plan.differences.filter(isRemoval).every(isAnswered)) return provision(services, file, plan, options, stderr);
  return {
    kind: 'faulty',
    faults: [{ message: 'the store has changed meanwhile: there is more to remove. Try again' }],
  };
}

async function provision(
  services: Services,
  file: ApplyFile,
  plan: Plan,
  { dryRun = false }: PlanningOptions,
  stderr: Output,
): Promise<Outcome> {
  const events = eventsOf(services, plan.differences);
  const { length } = plan.changes;
  const write = () => services.store.provision(plan.changes, dryRun, events);
  const outcome = await (dryRun ? write() : showWhile(`writing ${length} changes`, length > MANY, stderr, write));
  switch (outcome.kind) {
    case 'done':
      return { kind: 'done', plan };
    case 'lastOwner':
      return { kind: 'faulty', faults: [{ message: lastOwnerFault(outcome) }] };
    case 'passkeyTaken':
      return {
        kind: 'faulty',
        faults: [{ path: pathOfPasskey(file, outcome.id), message: passkeyTakenFault(outcome) }],
      };
    case 'loginTaken': {
      const path = pathOfLogin(file, outcome.loginName);
      return { kind: 'faulty', faults: [{ path, message: 'belongs to another user already' }] };
    }
  }
}

/** The place in the file of the login name that belongs to another user. */
function pathOfLogin(file: ApplyFile, taken: string): readonly PropertyKey[] {
  for (const [index, user] of file.users.entries()) {
    for (const field of ['username', 'email', 'phone_number'] as const) {
      if (loginName(user[field] ?? '') === taken) return ['users', index, field];
    }
  }
  return ['users'];
}

function pathOfPasskey(file: ApplyFile, taken: string): readonly PropertyKey[] {
  for (const [index, { passkeys = [] }] of file.users.entries()) {
    const at = passkeys.findIndex(({ credential_id }) => passkeyIdOf(credential_id) === taken);
    if (at >= 0) return ['users', index, 'passkeys', at, 'credential_id'];
  }
  return ['users'];
}
