import type { NewCode } from '../../../src/oauth/authorization-code/store.ts';
import type { Rotation } from '../../../src/oauth/refresh/store.ts';
import type { NewToken, NewTokens, TokenFamily } from '../../../src/oauth/token/store.ts';
import type { Store } from '../../../src/store.ts';
import { CALLBACK, credentialKey, DAY, type Fixture, NOW, unique } from './given.ts';

export function token(expiresAt: number): NewToken {
  return { hash: credentialKey(expiresAt), expiresAt };
}

export function code(family: TokenFamily, over: Partial<NewCode> = {}): NewCode {
  return {
    codeHash: credentialKey(NOW + 300),
    family,
    redirectUri: CALLBACK,
    codeChallenge: undefined,
    clientAuthenticationRequired: false,
    withRefresh: true,
    nonce: 'n-1',
    expiresAt: NOW + 300,
    ...over,
  };
}

/** The code as its own client presents it, with its secret. */
export const presentedCode = {
  clientId: 'web',
  clientAuthenticated: true,
  redirectUri: CALLBACK,
  challenge: undefined,
};

export type TokenPair = NewTokens & { readonly refresh: NewToken };

export function tokens(over: Partial<TokenPair> = {}): TokenPair {
  return {
    grantId: unique('grant'),
    issuedAt: NOW,
    access: token(NOW + 3600),
    refresh: token(NOW + 30 * DAY),
    ...over,
  };
}

export function rotation(tokenHash: Uint8Array, over: Partial<Rotation> = {}): Rotation {
  const issuedAt = over.issuedAt ?? NOW;
  return {
    tokenHash,
    presented: { clientId: 'web', scope: undefined, rotation: true, grace: 30, familyTtl: 180 * DAY },
    issuedAt,
    access: token(issuedAt + 3600),
    successors: [credentialKey(issuedAt + 30 * DAY)],
    successorExpiresAt: issuedAt + 30 * DAY,
    ...over,
  };
}

/** Adds a token family without a code. */
export async function aFamily(
  store: Store,
  { app, grant }: Fixture,
  over: Partial<TokenPair> = {},
): Promise<TokenPair> {
  const pair = tokens(over);
  await store.addTokenFamily(app, grant, pair);
  return pair;
}

/** Which tokens of a family still count. */
export async function alive(store: Store, app: string, pair: TokenPair, now = NOW) {
  return {
    access: (await store.findAccessToken(app, pair.access.hash, now)) !== undefined,
    user: (await store.findTokenUser(app, pair.access.hash, now)) !== undefined,
    refresh: (await store.findRefreshToken(app, pair.refresh.hash, now)) !== undefined,
  };
}

export const ALIVE = { access: true, user: true, refresh: true };
export const DEAD = { access: false, user: false, refresh: false };
