import type { Deps } from '../deps.ts';
import { type Application, type SigningAlg, signingAlgs } from '../protocol/client.ts';
import { currentKeys, forgottenKeys, nextKeyDue, PUBLISH_AHEAD, signingKey } from '../protocol/key-schedule.ts';
import type { SealedKey } from '../store/signing-keys.ts';
import type { Signer } from './signer.ts';
import { type KeyMaking, makeKey } from './signing-key.ts';

export type RotationDeps = Pick<Deps, 'store' | 'clock'> & KeyMaking & { readonly signer: Signer };

/**
 * On schedule: makes keys that are missing, publishes successors that are due, retires the keys of algorithms that no client
 * uses any more, and forgets keys that nothing refers to.
 */
export async function rotateDueKeys(deps: RotationDeps, application: Application): Promise<void> {
  const { store, clock, signer } = deps;
  const { code } = application;
  const inUse = await store.signingAlgs(code);
  const keys = await store.signingKeys(code);
  const now = clock.now();
  for (const alg of inUse) {
    if (nextKeyDue(keys, alg, now)) await publishNextKey(deps, code, alg, keys);
  }
  const unused = keys.filter(key => key.retiredAt === undefined && !inUse.includes(key.alg));
  if (unused.length > 0) await store.retireUnusedKeys(code, now);
  const longest = Math.max(application.id_token_ttl, application.access_token_ttl);
  const old = forgottenKeys(keys, now, longest).map(({ kid }) => kid);
  if (old.length > 0) await store.dropSigningKeys(code, old);
  if (unused.length + old.length > 0) signer.forget();
}

/** Before anything is served: what a client would sign with and an earlier release has not made. */
export async function makeMissingKeys(deps: RotationDeps): Promise<void> {
  for (const { app, alg } of await deps.store.missingKeys()) await publishNextKey(deps, app, alg, []);
}

/** By command: the next key is published now and signs after PUBLISH_AHEAD; the first of its algorithm signs at once. */
export async function publishNextKey(
  deps: RotationDeps,
  app: string,
  alg: SigningAlg,
  /** As they were when the rotation was decided: if another node was faster, nothing is added. */
  asOf?: readonly SealedKey[],
): Promise<SealedKey> {
  const { store, clock, signer } = deps;
  const now = clock.now();
  const newest = currentKeys(asOf ?? (await store.signingKeys(app)), alg).at(-1);
  const signFrom = newest ? Math.max(now + PUBLISH_AHEAD, newest.signFrom + 1) : now;
  const key = await makeKey(deps, app, alg, { now, signFrom });
  await store.addSigningKey(key, newest?.kid);
  signer.forget();
  return key;
}

/**
 * A key is known to somebody else: it goes at once, with every token it signed. The one that signs from now on is made before,
 * so that no request finds none.
 */
export async function replaceCompromisedKeys(
  deps: RotationDeps,
  app: string,
  algs: readonly SigningAlg[] = signingAlgs,
) {
  const { store, clock, signer } = deps;
  const gone = (await store.signingKeys(app)).filter(key => algs.includes(key.alg));
  const replaced = (await store.signingAlgs(app)).filter(alg => gone.some(key => key.alg === alg));
  const now = clock.now();
  const replacements = await Promise.all(replaced.map(alg => makeKey(deps, app, alg, { now, signFrom: now })));
  await store.dropSigningKeys(
    app,
    gone.map(({ kid }) => kid),
    replacements,
  );
  signer.forget();
  return gone;
}

export function keyState(
  keys: readonly SealedKey[],
  key: SealedKey,
  now: number,
  inUse: readonly SigningAlg[],
): 'next' | 'signing' | 'retired' | 'unused' {
  const current = currentKeys(keys, key.alg);
  if (!current.includes(key)) return 'retired';
  if (!inUse.includes(key.alg)) return 'unused';
  if (key.signFrom > now) return 'next';
  return signingKey(current, key.alg, now) === key ? 'signing' : 'retired';
}
