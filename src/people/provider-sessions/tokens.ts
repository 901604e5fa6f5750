import { setTimeout as pause } from 'node:timers/promises';
import type { Services } from '../../services.ts';
import { connected, connectorOf } from '../federation/begin.ts';
import type { ConnectedProvider, ProviderTokens } from '../federation/connector.ts';
import { opened, sealedSession } from './keep.ts';
import { newestProviderSession, replaceProviderSession, type StoredProviderSession } from './queries.ts';

/** A token that ends while it is on its way helps nobody. */
const MARGIN_SECONDS = 30;

/** Renewals under way in this process, by the session. */
const renewals = new WeakMap<Services, Map<string, Promise<ProviderTokens | undefined>>>();

/** Those of the newest live session that the user has opened with this provider; renewed where they have ended and the provider lets that be. */
export async function liveProviderTokens(
  services: Services,
  provider: string,
  sub: string,
): Promise<ProviderTokens | undefined> {
  const stored = await newestProviderSession(services.store.cold, provider, sub, services.clock.now());
  const tokens = stored && opened(services.ring, stored)?.tokens;
  if (!stored || !tokens || isLive(services, tokens)) return tokens;
  const renewing = renewals.get(services) ?? new Map<string, Promise<ProviderTokens | undefined>>();
  renewals.set(services, renewing);
  const started = renewing.get(stored.id);
  if (started) return started;
  const renewal = renewOnce(services, stored).finally(() => renewing.delete(stored.id));
  renewing.set(stored.id, renewal);
  return renewal;
}

function isLive({ clock }: Services, { expiresAt }: ProviderTokens): boolean {
  return expiresAt === undefined || expiresAt > clock.now() + MARGIN_SECONDS;
}

/** Longer than a provider has for its answer. A process that ends meanwhile holds the others up for as long. */
const LEASE_SECONDS = 10;
const PAUSE_MS = 50;
const MAX_WAIT_MS = 5000;

/** Of several processes one writes into the session that it renews, and the others wait for what comes of it. */
async function renewOnce(services: Services, first: StoredProviderSession): Promise<ProviderTokens | undefined> {
  const { store, ring, clock } = services;
  const deadline = performance.now() + MAX_WAIT_MS;
  let stored: StoredProviderSession | undefined = first;
  while (stored) {
    const kept = opened(ring, stored);
    if (!kept?.tokens || isLive(services, kept.tokens)) return kept?.tokens;
    if ((kept.renewingUntil ?? 0) <= clock.now()) {
      const sealed = sealedSession(ring, stored, { ...kept, renewingUntil: clock.now() + LEASE_SECONDS });
      if (await replaceProviderSession(store.cold, stored, sealed)) return renew(services, { ...stored, sealed });
    }
    if (performance.now() > deadline) return undefined;
    await pause(PAUSE_MS);
    stored = await newestProviderSession(store.cold, stored.provider, stored.sub, clock.now());
  }
  return undefined;
}

async function renew(services: Services, stored: StoredProviderSession): Promise<ProviderTokens | undefined> {
  const { store, ring, registry } = services;
  const { renewingUntil: _, tokens, ...session } = opened(ring, stored) ?? {};
  const registered = (await registry.providers()).find(({ id }) => id === stored.provider);
  const renewed =
    registered?.keep_tokens && tokens?.refreshToken !== undefined
      ? await renewedBy(services, connected({ services }, registered), tokens.refreshToken)
      : undefined;
  const kept = { ...session, tokens: renewed ? { refreshToken: tokens?.refreshToken, ...renewed } : tokens };
  // Not where the user has signed out meanwhile: the session is gone, and stays so.
  await replaceProviderSession(store.cold, stored, sealedSession(ring, stored, kept));
  return renewed;
}

async function renewedBy(
  services: Services,
  provider: ConnectedProvider,
  refreshToken: string,
): Promise<ProviderTokens | undefined> {
  const connector = await connectorOf({ services }, provider);
  return connector.renew?.({ services, provider }, refreshToken);
}
