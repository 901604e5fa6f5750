import { keyAlgsOf } from '../../directory/clients/rules.ts';
import type { KeyAlg } from '../../oauth/signing-keys/algorithms.rules.ts';
import { currentKeys } from '../../oauth/signing-keys/rules.ts';
import { type KeyGeneration, makeKey } from '../../oauth/signing-keys/signing-key.ts';
import type { MissingKey } from '../../oauth/signing-keys/store.ts';
import type { Deps } from '../../services.ts';
import { inBatches } from './in-batches.ts';
import type { PlannedApplication } from './plan-application.ts';
import type { Provision } from './store.ts';

/**
 * An RSA key takes 54 ms of processor time on average (10 to 190 ms), so the keys of a thousand applications take a minute on one core.
 * Apply makes this many itself and leaves the rest to a running server, which makes them one after the other and has spare ones for
 * the first requests (oauth/signing-keys/spare-keys.ts). Keys of the other algorithms take no time.
 */
const MAX_RSA_KEYS = 16;

/**
 * Makes the signing keys that an application and its clients need. They are written together with the application, so that no
 * request waits for a key.
 */
export async function planSigningKeys(
  deps: Pick<Deps, 'store' | 'clock'> & KeyGeneration,
  applications: readonly PlannedApplication[],
): Promise<Provision[]> {
  const missing = (await inBatches(applications, entry => missingKeysOf(deps, entry))).flat();
  const slow = missing.filter(({ alg }) => alg.startsWith('RS'));
  const later = new Set(slow.slice(MAX_RSA_KEYS));
  const now = deps.clock.now();
  const made = missing.filter(each => !later.has(each));
  const keys = await inBatches(made, ({ app, alg }) => makeKey(deps, app, alg, { now, signFrom: now }));
  return [
    ...keys.map(key => ({ kind: 'signingKey', key }) as const),
    ...[...later].map(({ app }) => ({ kind: 'pendingKeys', app }) as const),
  ];
}

async function missingKeysOf(
  { store }: Pick<Deps, 'store'>,
  { application, clients }: PlannedApplication,
): Promise<MissingKey[]> {
  const { code: app } = application;
  const present = await store.signingKeys(app);
  const inUse = new Set<KeyAlg>([application.id_token_signed_response_alg]);
  for (const alg of clients.flatMap(client => keyAlgsOf(application, client))) inUse.add(alg);
  return [...inUse].filter(alg => currentKeys(present, alg).length === 0).map(alg => ({ app, alg }));
}
