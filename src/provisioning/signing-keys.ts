import type { ApplicationEntry } from '../applications/registration.ts';
import type { Deps } from '../deps.ts';
import { type KeyGeneration, makeKey } from '../keys/signing-key.ts';
import { type SigningAlg, signingAlgOf } from '../protocol/client.ts';
import { currentKeys } from '../protocol/key-schedule.ts';
import type { Provision } from '../store/provisioning.ts';
import type { MissingKey } from '../store/signing-keys.ts';

/**
 * Makes the signing keys that an application and its clients need. They are written together with the application, so that no
 * request waits for a key: generating an RSA key takes 50 to 500 ms.
 */
export async function planSigningKeys(
  deps: Pick<Deps, 'store' | 'clock'> & KeyGeneration,
  applications: readonly ApplicationEntry[],
): Promise<Provision[]> {
  const missing = (await Promise.all(applications.map(entry => missingKeysOf(deps, entry)))).flat();
  const now = deps.clock.now();
  const keys = await Promise.all(missing.map(({ app, alg }) => makeKey(deps, app, alg, { now, signFrom: now })));
  return keys.map(key => ({ kind: 'signingKey', key }));
}

async function missingKeysOf({ store }: Pick<Deps, 'store'>, entry: ApplicationEntry): Promise<MissingKey[]> {
  const present = await store.signingKeys(entry.code);
  const inUse = new Set<SigningAlg>([entry.id_token_signed_response_alg]);
  for (const client of entry.clients) inUse.add(signingAlgOf(entry, client));
  return [...inUse].filter(alg => currentKeys(present, alg).length === 0).map(alg => ({ app: entry.code, alg }));
}
