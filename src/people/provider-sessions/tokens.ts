import type { Services } from '../../services.ts';
import { connected, connectorOf } from '../federation/begin.ts';
import type { ProviderTokens } from '../federation/connector.ts';
import { keepProviderSession, opened } from './keep.ts';
import { newestProviderSession, type StoredProviderSession } from './queries.ts';

/** A token that ends while it is on its way helps nobody. */
const MARGIN_SECONDS = 30;

/** Renewals under way in this process: a provider that rotates refresh tokens takes each once. */
const renewing = new Map<string, Promise<ProviderTokens | undefined>>();

/** Those of the newest live session that the user has opened with this provider; renewed where they have ended and the provider lets that be. */
export async function liveProviderTokens(
  services: Services,
  provider: string,
  sub: string,
): Promise<ProviderTokens | undefined> {
  const { store, ring, clock } = services;
  const stored = await newestProviderSession(store.cold, provider, sub, clock.now());
  const tokens = stored && opened(ring, stored)?.tokens;
  if (!tokens) return undefined;
  if (tokens.expiresAt === undefined || tokens.expiresAt > clock.now() + MARGIN_SECONDS) return tokens;
  const started = renewing.get(stored.id);
  if (started) return started;
  const renewal = renew(services, stored, tokens).finally(() => renewing.delete(stored.id));
  renewing.set(stored.id, renewal);
  return renewal;
}

async function renew(
  services: Services,
  stored: StoredProviderSession,
  tokens: ProviderTokens,
): Promise<ProviderTokens | undefined> {
  const registered = (await services.registry.providers()).find(({ id }) => id === stored.provider);
  if (!registered?.keep_tokens || tokens.refreshToken === undefined) return undefined;
  const provider = connected({ services }, registered);
  const connector = await connectorOf({ services }, registered);
  const renewed = await connector.renew?.({ services, provider }, tokens.refreshToken);
  if (!renewed) return undefined;
  const kept = { ...opened(services.ring, stored), tokens: { refreshToken: tokens.refreshToken, ...renewed } };
  await keepProviderSession(services, stored.id, provider, stored.sub, kept);
  return kept.tokens;
}
