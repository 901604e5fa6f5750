import { BUILT_IN_APPLICATION } from '../../directory/applications/built-in.rules.ts';
import { isSelfRegistered } from '../../directory/clients/rules.ts';
import type { Deps } from '../../services.ts';
import type { Fault } from './fault.ts';
import type { ApplyFile } from './file-schema.ts';
import { inBatches } from './in-batches.ts';
import { clientIdOf } from './plan-application.ts';
import type { PlanOptions, PlanStep } from './plan-step.ts';

/**
 * What `--prune` deletes: applications that no file names, and clients that the entry of their application does not name (its APIs and
 * policies: complete-application.ts). Clients that have registered themselves are in no file and stay: they are deleted when nobody
 * uses them. Users are many, and most are in no file, so they need `--prune-users` as well; operators are never pruned. Without
 * `--prune`, an empty list of clients removes those of its application.
 */
export interface Removals {
  readonly steps: readonly PlanStep[];
  readonly faults: readonly Fault[];
  readonly notes: readonly string[];
}

type PruneDeps = Pick<Deps, 'store' | 'clock'>;

export async function planRemovals(
  deps: PruneDeps,
  file: ApplyFile,
  /** The users that the file names. */
  named: ReadonlySet<string>,
  options: PlanOptions,
): Promise<Removals> {
  const faults = [
    ...(options.prune ? emptyFault('application', file.applications.length, '--prune', options) : []),
    ...(options.pruneUsers ? emptyFault('user', file.users.length, '--prune-users', options) : []),
  ];
  if (faults.length > 0) return { steps: [], faults, notes: [] };
  const applications = options.prune ? await removedApplications(deps, file) : [];
  const clients = await removedClients(deps, file, options.prune === true);
  const users = options.pruneUsers ? await removedUsers(deps, named) : NONE;
  return { steps: [...applications, ...clients, ...users.steps], faults: [], notes: users.notes };
}

const NONE = { steps: [], notes: [] };

/** An empty file is more often a mistake, such as a wrong path in a script, than the wish to delete everything. */
function emptyFault(what: string, count: number, option: string, { allowEmpty }: PlanOptions): Fault[] {
  if (count > 0 || allowEmpty) return [];
  const article = what === 'user' ? 'a' : 'an';
  return [{ message: `no file names ${article} ${what}: ${option} would delete all (--allow-empty does so)` }];
}

async function removedApplications({ store, clock }: PruneDeps, file: ApplyFile): Promise<PlanStep[]> {
  const now = clock.now();
  const named = new Set(file.applications.map(({ code }) => code));
  const codes = await store.applicationCodes();
  return codes
    .filter(code => !named.has(code) && code !== BUILT_IN_APPLICATION)
    .map(
      (app): PlanStep => ({
        change: { kind: 'deleteApplication', app, now },
        difference: { action: 'delete', object: { type: 'application', application: app }, fields: [] },
      }),
    );
}

/** Of applications whose list of clients is empty, and with `prune` of all that the file names. */
async function removedClients({ store, clock }: PruneDeps, file: ApplyFile, prune: boolean): Promise<PlanStep[]> {
  const now = clock.now();
  const concerned = file.applications.filter(({ clients }) => prune || clients === null || clients?.length === 0);
  const removed = await inBatches(concerned, async ({ code: app, clients }) => {
    const kept = new Set(clients?.map(client => clientIdOf(app, client)));
    const present = await store.clientsOf(app);
    return present
      .filter(client => !kept.has(client.client_id) && !isSelfRegistered(client))
      .map(
        ({ client_id }): PlanStep => ({
          change: { kind: 'deleteClient', app, clientId: client_id, now },
          difference: { action: 'delete', object: { type: 'client', application: app, client_id }, fields: [] },
        }),
      );
  });
  return removed.flat();
}

const PAGE_SIZE = 1000;

async function removedUsers({ store, clock }: PruneDeps, named: ReadonlySet<string>) {
  const now = clock.now();
  const operators = await allOperators(store);
  const steps: PlanStep[] = [];
  const notes: string[] = [];
  for (let after: string | undefined; ; ) {
    const page = await store.accountsAfter(after, PAGE_SIZE);
    for (const { sub, username } of page) {
      if (named.has(sub)) continue;
      if (operators.has(sub)) notes.push(`user ${username}: is an operator, and is not pruned`);
      else {
        steps.push({
          change: { kind: 'deleteUser', sub, now },
          difference: { action: 'delete', object: { type: 'user', username, sub }, fields: [] },
        });
      }
    }
    after = page.at(-1)?.username;
    if (after === undefined) return { steps, notes };
  }
}

async function allOperators(store: PruneDeps['store']): Promise<Set<string>> {
  const subs = new Set<string>();
  for (let after: string | undefined; ; ) {
    const page = await store.listOperators({ after, limit: PAGE_SIZE });
    for (const { sub } of page) subs.add(sub);
    after = page.at(-1)?.sub;
    if (after === undefined) return subs;
  }
}
