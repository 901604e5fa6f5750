import { isDeepStrictEqual } from 'node:util';
import type { KeyRing } from '../../platform/crypto/key-ring.ts';
import type { ProviderFields } from './fields.ts';
import type { Provider, ProviderEntry, ProviderSecrets } from './rules.ts';
import { openProviderSecrets, sealProviderSecrets } from './secrets.ts';

/** Between a provider as it is stored and as operators set it: the secrets are fields like others there, and encrypted here. */

type Sealing = { readonly ring: Pick<KeyRing, 'seal' | 'open'> };

/** With its secrets in the clear: for the change of it, never for an answer. */
export function entryOfProvider(sealing: Sealing, provider: Provider): ProviderEntry {
  const { sealedSecrets: _, ...settings } = provider;
  return { ...settings, ...openProviderSecrets(sealing, provider) };
}

/** Secrets that stay the same keep their sealed form, so that nothing changes where nothing was changed. */
export function providerOfEntry(
  sealing: Sealing,
  { secrets: names }: Pick<ProviderFields, 'secrets'>,
  entry: ProviderEntry,
  present?: Provider,
): Provider {
  const all = Object.entries(entry).filter(([, value]) => value !== undefined && value !== null);
  const secrets = Object.fromEntries(all.filter(([name]) => names.includes(name))) as ProviderSecrets;
  const settings = Object.fromEntries(all.filter(([name]) => !names.includes(name)));
  const isSame = present !== undefined && isDeepStrictEqual(openProviderSecrets(sealing, present), secrets);
  return {
    ...(settings as unknown as ProviderEntry),
    sealedSecrets: isSame ? present.sealedSecrets : sealProviderSecrets(sealing, entry.id, secrets),
  };
}

/** In the order of the fields, with the names of the secrets in the place of their values. */
export function shownProvider(
  sealing: Sealing,
  { declared, secrets }: Pick<ProviderFields, 'declared' | 'secrets'>,
  provider: Provider,
): Readonly<Record<string, unknown>> & { readonly id: string; readonly secrets: readonly string[] } {
  const values = new Map(Object.entries(provider));
  const shown = declared.flatMap(({ name }) => {
    const value = values.get(name);
    return secrets.includes(name) || value === undefined ? [] : [[name, value]];
  });
  const held = openProviderSecrets(sealing, provider);
  return { ...Object.fromEntries(shown), id: provider.id, secrets: secrets.filter(name => held[name] !== undefined) };
}
