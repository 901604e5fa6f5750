import { setTimeout as delay } from 'node:timers/promises';
import type { Act } from '../../audit/acts/store.ts';
import type { Event } from '../../audit/events/rules.ts';
import type { Application } from '../../directory/applications/rules.ts';
import type { Deps } from '../../services.ts';
import { type KeyAlg, keyAlgs } from './algorithms.rules.ts';
import {
  currentKeys,
  deletableKeys,
  isNextKeyDue,
  longestTokenTtl,
  PUBLISH_AHEAD_SECONDS,
  signingKey,
} from './rules.ts';
import type { Signer } from './signer.ts';
import { type KeyGeneration, makeKey } from './signing-key.ts';
import type { SealedKey, Successor } from './store.ts';

export type RotationDeps = Pick<Deps, 'store' | 'clock'> & KeyGeneration & { readonly signer: Signer };

/**
 * Runs on a schedule: makes missing keys, publishes successors that are due, retires the keys of algorithms that no client uses
 * any more, and deletes keys that no valid token was signed with.
 */
export async function rotateDueKeys(
  deps: RotationDeps,
  application: Application,
  /** What is recorded with a key that it publishes. */
  actFor?: (key: SealedKey) => Act,
): Promise<void> {
  const { store, clock, signer } = deps;
  const { code } = application;
  const inUse = await store.keyAlgs(code);
  const keys = await store.signingKeys(code);
  const now = clock.now();
  for (const alg of inUse) {
    if (isNextKeyDue(keys, alg, now)) await publishNextKey(deps, code, alg, keys, actFor);
  }
  const unused = keys.filter(key => key.retiredAt === undefined && !inUse.includes(key.alg));
  if (unused.length > 0) await store.retireUnusedKeys(code, now);
  const old = deletableKeys(keys, now, longestTokenTtl(application)).map(({ kid }) => kid);
  if (old.length > 0) await store.dropSigningKeys(code, old);
  if (unused.length + old.length > 0) signer.invalidate();
}

/** Runs before the server accepts requests: makes the keys that clients need and an earlier release did not make. */
export async function makeMissingKeys(deps: RotationDeps): Promise<void> {
  for (const { app, alg } of await deps.store.missingKeys()) await publishNextKey(deps, app, alg, []);
}

const PENDING_AT_ONCE = 8;

/**
 * Makes the keys that an apply file has left to the server, some applications for each write. After each key it rests for as long
 * as the key took, so that at most half a core is busy with it.
 */
export async function makePendingKeys(deps: RotationDeps, isStopped: () => boolean): Promise<void> {
  const { store, signer } = deps;
  for (;;) {
    const apps = await store.pendingKeys(PENDING_AT_ONCE);
    if (apps.length === 0) return;
    const keys: SealedKey[] = [];
    for (const app of apps) {
      for (const alg of await algsWithoutKey(deps, app)) {
        if (isStopped()) return;
        const startedAt = performance.now();
        const now = deps.clock.now();
        keys.push(await makeKey(deps, app, alg, { now, signFrom: now }));
        await delay(performance.now() - startedAt, undefined, { ref: false });
      }
    }
    await store.addPendingKeys(apps, keys);
    signer.invalidate();
  }
}

async function algsWithoutKey({ store }: Pick<Deps, 'store'>, app: string): Promise<KeyAlg[]> {
  const keys = await store.signingKeys(app);
  return (await store.keyAlgs(app)).filter(alg => currentKeys(keys, alg).length === 0);
}

/** Publishes the next key now. It signs after PUBLISH_AHEAD_SECONDS; the first key of an algorithm signs at once. */
export async function publishNextKey(
  deps: RotationDeps,
  app: string,
  alg: KeyAlg,
  /** The keys on which the caller based its decision. If another node has added a key since, this one adds none. */
  asOf?: readonly SealedKey[],
  /** What is recorded with the key. */
  actFor?: (key: SealedKey) => Act,
): Promise<SealedKey> {
  const { store, signer } = deps;
  const { key, after } = await makeSuccessor(deps, app, alg, asOf ?? (await store.signingKeys(app)));
  await store.addSigningKey(key, after, actFor?.(key));
  signer.invalidate();
  return key;
}

/** The next key of an algorithm, to be added to these. */
export async function makeSuccessor(
  deps: RotationDeps,
  app: string,
  alg: KeyAlg,
  keys: readonly SealedKey[],
): Promise<Successor> {
  const now = deps.clock.now();
  const newest = currentKeys(keys, alg).at(-1);
  const signFrom = newest ? Math.max(now + PUBLISH_AHEAD_SECONDS, newest.signFrom + 1) : now;
  return { key: await makeKey(deps, app, alg, { now, signFrom }), after: newest?.kid };
}

/**
 * Deletes compromised keys at once, which invalidates every token they signed. The replacements are made first and written in the
 * same operation, so that no request is without a signing key.
 */
export async function replaceCompromisedKeys(
  deps: RotationDeps,
  app: string,
  algs: readonly KeyAlg[] = keyAlgs,
  /** What is recorded of each key that is deleted. */
  eventFor?: (key: SealedKey) => Event,
) {
  const { store, clock, signer } = deps;
  const compromised = (await store.signingKeys(app)).filter(key => algs.includes(key.alg));
  const replacedAlgs = (await store.keyAlgs(app)).filter(alg => compromised.some(key => key.alg === alg));
  const now = clock.now();
  const replacements = await Promise.all(replacedAlgs.map(alg => makeKey(deps, app, alg, { now, signFrom: now })));
  await store.dropSigningKeys(
    app,
    compromised.map(({ kid }) => kid),
    replacements,
    eventFor ? compromised.map(eventFor) : [],
  );
  signer.invalidate();
  return compromised;
}

export function keyState(
  keys: readonly SealedKey[],
  key: SealedKey,
  now: number,
  inUse: readonly KeyAlg[],
): 'next' | 'signing' | 'retired' | 'unused' {
  const current = currentKeys(keys, key.alg);
  if (!current.includes(key)) return 'retired';
  if (!inUse.includes(key.alg)) return 'unused';
  if (key.signFrom > now) return 'next';
  return signingKey(current, key.alg, now) === key ? 'signing' : 'retired';
}
