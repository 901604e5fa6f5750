import { newEvent } from '../../audit/events/new-event.ts';
import { SYSTEM } from '../../audit/events/request-event.ts';
import type { Provider, ProviderSecrets } from '../../directory/providers/rules.ts';
import { openProviderSecrets, sealProviderSecrets } from '../../directory/providers/secrets.ts';
import { BoundedCache } from '../../platform/bounded-cache.ts';
import type { Services } from '../../services.ts';
import { keyText, type OwnKeys, privateKeysIn } from './key-text.rules.ts';

/**
 * The keys of this server at a provider. They are a secret of the provider (`private_keys`), so that they are sealed, copied and deleted
 * with it. The first is made when it is first needed: a provider that wants no signed requests, and whose administrator types the addresses
 * by hand, needs none.
 */
export async function ownKeysOf(services: Services, provider: Provider): Promise<OwnKeys> {
  const present = presentKeysOf(services, provider);
  return present ?? keysIn(await makeFirstKey(services, provider.id));
}

export function presentKeysOf(services: Services, provider: Provider): OwnKeys | undefined {
  const { private_keys: text } = openProviderSecrets(services, provider);
  return text === undefined ? undefined : keysIn(text);
}

/** Parsing one takes a tenth of a millisecond. */
const parsed = new BoundedCache<string, OwnKeys>(50);

function keysIn(text: string): OwnKeys {
  const present = parsed.get(text);
  if (present) return present;
  const keys = privateKeysIn(text);
  if (!keys) throw new Error('the private keys of a provider were stored in another form');
  parsed.set(text, keys);
  return keys;
}

/** Requests that need it at the same time share the work; of several nodes, the first to write decides. */
const pending = new Map<string, Promise<string>>();

function makeFirstKey(services: Services, id: string): Promise<string> {
  const started = pending.get(id);
  if (started) return started;
  const making = writeFirstKey(services, id).finally(() => pending.delete(id));
  pending.set(id, making);
  return making;
}

async function writeFirstKey(services: Services, id: string): Promise<string> {
  const { privateKey } = await services.generateKeyPair('RS256');
  const made = keyText([privateKey]);
  const outcome = await services.store.changeProvider<string | undefined>(id, ({ current }) => {
    if (!current) return { result: undefined };
    const secrets = openProviderSecrets(services, current);
    // Another node was faster. What does not open here was sealed with a secret that this server does not have: it stays.
    if (secrets.private_keys !== undefined || isUnreadable(current, secrets)) return { result: secrets.private_keys };
    const value = withKeys(services, current, made);
    const details = { fields: ['private_keys'] };
    const fields = { type: 'provider.updated', outcome: 'success', actor: SYSTEM, subject: id, details } as const;
    return { result: made, write: { value, act: { event: newEvent(services, fields) } } };
  });
  await services.registry.refresh();
  if (typeof outcome !== 'string') throw new Error(`the keys of the provider ${id} cannot be read or made`);
  return outcome;
}

function isUnreadable({ sealedSecrets }: Provider, secrets: ProviderSecrets): boolean {
  return sealedSecrets !== undefined && Object.keys(secrets).length === 0;
}

export function withKeys(services: Services, provider: Provider, text: string): Provider {
  const secrets = { ...openProviderSecrets(services, provider), private_keys: text };
  return { ...provider, sealedSecrets: sealProviderSecrets(services, provider.id, secrets) };
}
