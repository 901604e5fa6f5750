import type { Application } from '../../directory/applications/rules.ts';
import { isCredential, keyOf, thumbprintIn } from '../../platform/crypto/credential.ts';
import type { Services } from '../../services.ts';
import { issuerFor } from '../discovery/issuer.ts';
import { type Confirmation, confirmationOf } from '../proof-of-possession/confirmation.rules.ts';
import { familyEnd } from '../refresh/rules.ts';
import type { LiveRefreshToken } from '../refresh/store.ts';
import { verifyAccessToken } from '../signing-keys/verifier.ts';
import type { LiveToken } from './store.ts';

/** The kind of a presented token, the hash by which the store finds it, and the key to which the token says that it is bound. */
export interface Located {
  readonly kind: 'access' | 'refresh';
  readonly hash: Buffer;
  readonly confirmation: Confirmation | undefined;
}

/** A token shows its kind by its form, so one lookup is enough and token_type_hint is not needed (RFC 7662 section 2.1). */
export function locateOpaque(token: string): Located | undefined {
  if (isCredential('access', token)) return { kind: 'access', hash: keyOf(token), confirmation: keyIn(token) };
  if (isCredential('refresh', token)) return { kind: 'refresh', hash: keyOf(token), confirmation: keyIn(token) };
  return undefined;
}

/** The hash is one of the whole token, so that a token that is found was issued with this key. */
function keyIn(token: string): Confirmation | undefined {
  const key = thumbprintIn(token);
  return key === undefined ? undefined : confirmationOf(key);
}

/** A JWT is verified before it is looked up; anything else is found by none. */
export async function locateJwt(
  services: Services,
  application: Application,
  token: string,
): Promise<Located | undefined> {
  if (!/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)) return undefined;
  const issuer = issuerFor(services, application);
  const verified = await verifyAccessToken(services, application.code, issuer, token);
  if (!verified) return undefined;
  return { kind: 'access', hash: Buffer.from(verified.jti, 'base64url'), confirmation: verified.confirmation };
}

/** `callerClientId`: if this client was deleted after it authenticated, the result is undefined (store.ts). */
export function findLiveToken(
  services: Services,
  application: Application,
  located: Located | undefined,
  callerClientId?: string,
): Promise<LiveToken | undefined> | undefined {
  if (!located) return undefined;
  const now = services.clock.now();
  return located.kind === 'access'
    ? services.store.findAccessToken(application.code, located.hash, now, callerClientId)
    : findLiveRefreshToken(services, application, located.hash, callerClientId);
}

/** A refresh token ends with its family. refresh_family_ttl may have been reduced after the token was issued. */
export async function findLiveRefreshToken(
  { store, clock }: Services,
  application: Application,
  hash: Buffer,
  callerClientId?: string,
): Promise<LiveRefreshToken | undefined> {
  const now = clock.now();
  const token = await store.findRefreshToken(application.code, hash, now, callerClientId);
  if (!token) return undefined;
  const expiresAt = Math.min(token.expiresAt, familyEnd(token, { familyTtl: application.refresh_family_ttl }));
  return expiresAt > now ? { ...token, expiresAt } : undefined;
}
