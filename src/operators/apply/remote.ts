import type { UserAttribute } from '../../directory/user-attributes/rules.ts';
import { EXIT } from '../cli/exit.ts';
import { RemoteFault, type RemoteServer } from '../cli/remote.ts';
import { performAt } from '../cli/with-operations.ts';
import type { GivenFile } from './apply-file.ts';
import type { ApplyTarget, Planned } from './carry-out.ts';
import { differenceView, fromView, viewOf } from './difference-view.ts';
import type { Entry } from './export-entries.ts';
import { isRemoval } from './plan.ts';

/** Apply, diff and export over the admin API of a running server. */
export function applyAt(remote: RemoteServer, file: GivenFile): ApplyTarget {
  return async (_, options, confirmed) => {
    const { dryRun, prune = false, pruneUsers = false, allowEmpty = false, resetPasswords = false } = options;
    const plan = { file, prune, prune_users: pruneUsers, allow_empty: allowEmpty, reset_passwords: resetPasswords };
    const run = async (id: string, body: object): Promise<Awaited<ReturnType<ApplyTarget>>> => {
      const outcome = await remote.perform(id, { params: {}, query: {}, body });
      switch (outcome.kind) {
        case 'done':
          return { kind: 'done', plan: plannedOf(outcome.value) };
        case 'invalid':
          return { kind: 'faulty', faults: outcome.errors.map(faultOf) };
        case 'conflict':
          throw new RemoteFault(outcome.detail, EXIT.data);
        default:
          throw new RemoteFault(`${remote.url}: does not know POST /${id}, which needs a newer release`, EXIT.data);
      }
    };
    if (dryRun) return run('diffFile', plan);
    if (confirmed === 'all') return run('applyFile', { ...plan, allow_removals: true });
    // What the operator has not seen is asked for before it is sent to be removed.
    const compared = await run('diffFile', plan);
    if (compared.kind !== 'done') return compared;
    const seen = confirmed.map(({ object }) => JSON.stringify(object));
    const removals = compared.plan.differences.filter(isRemoval);
    if (!removals.every(({ object }) => seen.includes(JSON.stringify(object))))
      return { kind: 'unconfirmed', removals };
    return run('applyFile', {
      ...plan,
      confirmed_removals: removals.map(removal => ({ object: viewOf(removal).object })),
    });
  };
}

function plannedOf(value: unknown): Planned {
  const { changes, notes } = value as { changes: readonly unknown[]; notes: readonly string[] };
  return { differences: changes.map(change => fromView(differenceView.parse(change))), notes };
}

/** A pointer into the body (RFC 6901) is a place in the file. */
function faultOf({ pointer, detail }: { readonly pointer: string; readonly detail: string }) {
  const [, root, ...parts] = pointer.split('/').map(part => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (root !== 'file') return { message: detail };
  return { path: parts.map(part => (/^\d+$/.test(part) ? Number(part) : part)), message: detail };
}

/** None for a key that is limited to applications, and of a release that has none. */
export async function attributesAt(remote: RemoteServer): Promise<readonly UserAttribute[]> {
  const outcome = await remote.perform('listUserAttributes', { params: {}, query: { limit: '200' }, body: undefined });
  return outcome.kind === 'done' ? (outcome.value as { readonly items: readonly UserAttribute[] }).items : [];
}

interface ExportAt {
  readonly filter?: Readonly<Record<string, string>>;
  /** What belongs to no application is left out for a key that is limited to applications; otherwise the export ends there. */
  readonly skipsIfLimited?: boolean;
}

/** A list of the export, page by page. */
export async function* entriesAt(
  remote: RemoteServer,
  id: 'exportProviders' | 'exportApplications' | 'exportUsers',
  { filter = {}, skipsIfLimited = false }: ExportAt = {},
): AsyncGenerator<readonly Entry[]> {
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query: Record<string, string> = { ...filter, limit: '200', ...(cursor === '' ? {} : { cursor }) };
    const outcome = await performAt(remote)(id, { query });
    if (outcome.kind === 'unknown' && skipsIfLimited) return;
    if (outcome.kind !== 'done') {
      throw new RemoteFault(
        'the API key is limited to applications: --no-users exports what it may see',
        EXIT.noPermission,
      );
    }
    const { items, next } = outcome.value as { items: readonly Entry[]; next: string | null };
    yield items;
    cursor = next;
  }
}
