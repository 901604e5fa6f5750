import type { KeyRing } from '../../platform/crypto/key-ring.ts';
import type { Provider, ProviderSecrets } from './rules.ts';

type Sealing = { readonly ring: Pick<KeyRing, 'seal' | 'open'> };

/** The provider is authenticated with its secrets: those of one do not open as those of another. */
export function sealProviderSecrets({ ring }: Sealing, id: string, secrets: ProviderSecrets): Uint8Array | undefined {
  if (Object.keys(secrets).length === 0) return undefined;
  return ring.seal('provider secret', Buffer.from(JSON.stringify(secrets)), id);
}

/** Empty also where the secret of the server that sealed them is not set any more: the provider refuses, and says why. */
export function openProviderSecrets(
  { ring }: Sealing,
  { id, sealedSecrets }: Pick<Provider, 'id' | 'sealedSecrets'>,
): ProviderSecrets {
  const plain = sealedSecrets && ring.open('provider secret', sealedSecrets, id);
  return plain === undefined ? {} : (JSON.parse(plain.toString()) as ProviderSecrets);
}
