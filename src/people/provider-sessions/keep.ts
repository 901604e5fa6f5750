import { hash } from 'node:crypto';
import type { Services } from '../../services.ts';
import type { ConnectedProvider, ProviderSession } from '../federation/connector.ts';
import { nameProviderSession, putProviderSession, type StoredProviderSession, takeProviderSession } from './queries.ts';

/** As long as a session can live (people/sessions). */
const MAX_SECONDS = 30 * 86_400;

/** Undefined where the operator wants nothing that needs it: then nothing is kept. */
export function keptOf(
  { sign_out, keep_tokens }: Pick<ConnectedProvider, 'sign_out' | 'keep_tokens'>,
  { idToken, named, tokens }: ProviderSession = {},
): ProviderSession | undefined {
  const ofSession = sign_out === true && (idToken !== undefined || named) ? { idToken, named } : undefined;
  const ofTokens = keep_tokens === true && tokens ? { tokens } : undefined;
  return ofSession || ofTokens ? { ...ofSession, ...ofTokens } : undefined;
}

/** Before there is a session: a second factor may be asked for first. `pending`: the id of the sign-in. */
export async function keepProviderSession(
  { store, ring, clock }: Pick<Services, 'store' | 'ring' | 'clock'>,
  pending: string,
  { id: provider }: Pick<ConnectedProvider, 'id'>,
  sub: string,
  kept: ProviderSession,
): Promise<void> {
  const sealed = sealedSession(ring, { provider, sub }, kept);
  const expiresAt = clock.now() + MAX_SECONDS;
  const named = kept.named && nameHash(provider, kept.named.nameId);
  await putProviderSession(store.cold, { id: pending, provider, sub, sealed, expiresAt, named });
}

/** By which the sessions of a person are found when the provider ends them. What it says stays encrypted. */
export function nameHash(provider: string, nameId: string): string {
  return hash('sha256', JSON.stringify([provider, nameId]), 'base64url');
}

/** Whether it was still there. */
export async function nameKept({ store }: Pick<Services, 'store'>, pending: string, sid: string): Promise<boolean> {
  return nameProviderSession(store.cold, pending, sid);
}

export interface TakenSession {
  readonly provider: string;
  readonly kept: ProviderSession;
}

export async function takeKept(
  { store, ring }: Pick<Services, 'store' | 'ring'>,
  sid: string,
): Promise<TakenSession | undefined> {
  const stored = await takeProviderSession(store.cold, sid);
  const kept = stored && opened(ring, stored);
  return kept && { provider: stored.provider, kept };
}

export function sealedSession(
  ring: Services['ring'],
  { provider, sub }: Pick<StoredProviderSession, 'provider' | 'sub'>,
  kept: ProviderSession,
): Uint8Array {
  return ring.seal('provider session', Buffer.from(JSON.stringify(kept)), `${provider} ${sub}`);
}

export function opened(
  ring: Services['ring'],
  { provider, sub, sealed }: StoredProviderSession,
): ProviderSession | undefined {
  const plain = ring.open('provider session', sealed, `${provider} ${sub}`);
  return plain && (JSON.parse(plain.toString()) as ProviderSession);
}
