import { setTimeout as pause } from 'node:timers/promises';
import type { Services } from '../../services.ts';
import { connected, connectorOf } from '../federation/begin.ts';
import type { ConnectedProvider, ProviderTokens } from '../federation/connector.ts';
import { opened, sealedSession } from './keep.ts';
import {
  beginRenewal,
  endRenewal,
  newestProviderSession,
  type Renewal,
  type StoredProviderSession,
} from './queries.ts';

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
  if (!(await keepingProvider(services, provider))) return undefined;
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

/** What was kept before the operator turned `keep_tokens` off is handed out no more. */
async function keepingProvider({ registry }: Services, id: string) {
  return (await registry.providers()).find(each => each.id === id && each.keep_tokens === true);
}

function isLive({ clock }: Services, { expiresAt }: ProviderTokens): boolean {
  return expiresAt === undefined || expiresAt > clock.now() + MARGIN_SECONDS;
}

/** Longer than a provider has for its answer. A process that ends meanwhile holds the others up for as long. */
const LEASE_SECONDS = 10;
const PAUSE_MS = 50;
const MAX_WAIT_MS = 5000;

/** Of several processes one renews, and the others wait for what comes of it. */
async function renewOnce(services: Services, first: StoredProviderSession): Promise<ProviderTokens | undefined> {
  const { store, ring, clock } = services;
  const deadline = performance.now() + MAX_WAIT_MS;
  let stored: StoredProviderSession | undefined = first;
  while (stored) {
    const tokens = opened(ring, stored)?.tokens;
    if (!tokens || isLive(services, tokens)) return tokens;
    const renewal = newRenewal(services);
    const begun = await beginRenewal(store.cold, stored, renewal);
    if (begun) return renew(services, begun, renewal);
    if (performance.now() > deadline) return undefined;
    await pause(PAUSE_MS);
    stored = await newestProviderSession(store.cold, stored.provider, stored.sub, clock.now());
  }
  return undefined;
}

const RENEWAL_ID_BYTES = 16;

function newRenewal({ clock, random }: Services): Renewal {
  const now = clock.now();
  return { id: random.bytes(RENEWAL_ID_BYTES).toString('base64url'), now, until: now + LEASE_SECONDS };
}

async function renew(
  services: Services,
  stored: StoredProviderSession,
  renewal: Renewal,
): Promise<ProviderTokens | undefined> {
  const { store, ring } = services;
  const { tokens, ...session } = opened(ring, stored) ?? {};
  // Another process has renewed them just before.
  const isDone = tokens !== undefined && isLive(services, tokens);
  const renewed = isDone ? undefined : await renewedTokens(services, stored.provider, tokens?.refreshToken);
  const kept = renewed && { ...session, tokens: { refreshToken: tokens?.refreshToken, ...renewed } };
  await endRenewal(store.cold, stored, renewal, kept && sealedSession(ring, stored, kept));
  return isDone ? tokens : renewed;
}

async function renewedTokens(
  services: Services,
  id: string,
  refreshToken: string | undefined,
): Promise<ProviderTokens | undefined> {
  const registered = await keepingProvider(services, id);
  if (!registered || refreshToken === undefined) return undefined;
  return renewedBy(services, connected({ services }, registered), refreshToken);
}

async function renewedBy(
  services: Services,
  provider: ConnectedProvider,
  refreshToken: string,
): Promise<ProviderTokens | undefined> {
  const connector = await connectorOf({ services }, provider);
  return connector.renew?.({ services, provider }, refreshToken);
}
