import type { KeyRing } from '../../platform/crypto/key-ring.ts';
import type { Deps } from '../../services.ts';
import { type Broken, type ContinueOptions, continueChain, pruneChain } from './chain.ts';

export type ChainDeps = Pick<Deps, 'store'> & { readonly ring: Pick<KeyRing, 'auditMac' | 'verifyAuditMac'> };

export type Maintained = { readonly kind: 'done'; readonly count: number } | Broken;

/** Seals the first events that are not sealed yet, `limit` at most. */
export async function sealEvents(
  { store, ring }: ChainDeps,
  limit: number,
  options: ContinueOptions = {},
): Promise<Maintained> {
  let broken: Broken | undefined;
  const count = await store.sealEvents(limit, (state, events) => {
    const next = continueChain(ring, state, events, options);
    broken = 'kind' in next ? next : undefined;
    return 'kind' in next ? undefined : next;
  });
  return broken ?? { kind: 'done', count };
}

/** Deletes the first events of the chain that are older than `before`, `limit` at most. */
export async function pruneEvents({ store, ring }: ChainDeps, before: number, limit: number): Promise<Maintained> {
  let broken: Broken | undefined;
  const count = await store.pruneEvents(before, limit, (head, events) => {
    const next = pruneChain(ring, head, events);
    broken = 'kind' in next ? next : undefined;
    return 'kind' in next ? undefined : next;
  });
  return broken ?? { kind: 'done', count };
}
