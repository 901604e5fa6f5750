import type { Deps } from '../deps.ts';
import { type Application, type SigningAlg, signingAlgs } from '../protocol/client.ts';
import { forgottenKeys, nextKeyDue, PUBLISH_AHEAD, signingKey } from '../protocol/key-schedule.ts';
import type { SealedKey } from '../store/store.ts';
import type { Signer } from './signer.ts';
import { type KeyMaking, makeKey } from './signing-key.ts';

export type RotationDeps = Pick<Deps, 'store' | 'clock'> & KeyMaking & { readonly signer: Signer };

/** On schedule: publishes successors that are due, and forgets keys that nothing refers to. */
export async function rotateDueKeys(deps: RotationDeps, application: Application): Promise<void> {
  const { store, clock, signer } = deps;
  const keys = await store.signingKeys(application.code);
  const now = clock.now();
  for (const alg of new Set(keys.map(key => key.alg))) {
    if (nextKeyDue(keys, alg, now)) await publishNextKey(deps, application.code, alg, keys);
  }
  const longest = Math.max(application.id_token_ttl, application.access_token_ttl);
  const old = forgottenKeys(keys, now, longest);
  if (old.length === 0) return;
  await store.dropSigningKeys(
    application.code,
    old.map(({ kid }) => kid),
  );
  signer.forget();
}

/** By command: the next key is published now and signs after PUBLISH_AHEAD. */
export async function publishNextKey(
  deps: RotationDeps,
  app: string,
  alg: SigningAlg,
  /** As they were when the rotation was decided: if another node was faster, nothing is added. */
  asOf?: readonly SealedKey[],
): Promise<SealedKey> {
  const { store, clock, signer } = deps;
  const now = clock.now();
  const newest = (asOf ?? (await store.signingKeys(app))).findLast(key => key.alg === alg);
  const signFrom = newest ? Math.max(now + PUBLISH_AHEAD, newest.signFrom + 1) : now;
  const key = await makeKey(deps, app, alg, { now, signFrom });
  await store.addSigningKey(key, newest?.kid);
  signer.forget();
  return key;
}

/** A key is known to somebody else: it goes at once, with every token it signed. A new one signs from now on. */
export async function replaceCompromisedKeys(
  deps: RotationDeps,
  app: string,
  algs: readonly SigningAlg[] = signingAlgs,
) {
  const { store, clock, signer } = deps;
  const gone = (await store.signingKeys(app)).filter(key => algs.includes(key.alg));
  await store.dropSigningKeys(
    app,
    gone.map(({ kid }) => kid),
  );
  const now = clock.now();
  for (const alg of new Set(gone.map(key => key.alg))) {
    await store.addSigningKey(await makeKey(deps, app, alg, { now, signFrom: now }), undefined);
  }
  signer.forget();
  return gone;
}

export function keyState(keys: readonly SealedKey[], key: SealedKey, now: number): 'next' | 'signing' | 'retired' {
  if (key.signFrom > now) return 'next';
  return signingKey(keys, key.alg, now) === key ? 'signing' : 'retired';
}
