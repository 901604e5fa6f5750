import type { Store } from '../../store.ts';
import type { Operator } from '../roles/store.ts';

type Asked = Pick<Store, 'listOperators'>;

/** The last owner cannot go, so a store that has one is not asked again. */
const owned = new WeakSet<Asked>();
const PAGE_SIZE = 200;

/** Whether anyone may do everything in this deployment. */
export async function hasOwner(store: Asked): Promise<boolean> {
  if (owned.has(store)) return true;
  let after: string | undefined;
  for (;;) {
    const page = await store.listOperators({ after, limit: PAGE_SIZE });
    if (page.some(isOwner)) {
      owned.add(store);
      return true;
    }
    if (page.length < PAGE_SIZE) return false;
    after = page.at(-1)?.sub;
  }
}

function isOwner({ role, applications, disabled }: Operator): boolean {
  return role === 'owner' && applications === undefined && !disabled;
}
