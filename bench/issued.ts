/** What a sign-in and a code exchange leave, written by the store itself. */
import { randomUUID } from 'node:crypto';
import { NO_CLAIMS } from '../src/oauth/authorize/claims-request.rules.ts';
import type { NewToken, TokenFamily } from '../src/oauth/token/store.ts';
import { keyOf, newCredential } from '../src/platform/crypto/credential.ts';
import { systemRandom } from '../src/platform/crypto/random.ts';
import type { Store } from '../src/store.ts';
import { ACCESS_TOKEN_TTL, APP, CLIENT_ID, REFRESH_TOKEN_TTL, users } from './fixture.ts';

/** A session in which a client has a token family. */
export interface Issued {
  readonly session: Uint8Array;
  readonly family: TokenFamily;
  readonly access: NewToken;
  readonly refresh: NewToken;
  readonly part: number | undefined;
}

/** For one user after the other; `part` is that of an application that is spread over parts. */
export async function issue(store: Store, number: number, part?: number): Promise<Issued> {
  const now = Math.floor(Date.now() / 1000);
  const token = (kind: 'access' | 'refresh', ttl: number): NewToken => ({
    hash: keyOf(newCredential(kind, now + ttl, systemRandom, part)),
    expiresAt: now + ttl,
  });
  const sub = (await store.findAccount(users[number % users.length]?.username ?? ''))?.sub ?? '';
  const session = keyOf(newCredential('session', now + 86_400, systemRandom));
  const family: TokenFamily = {
    ...{ clientId: CLIENT_ID, sub, scope: ['openid'], authTime: now, amr: ['pwd'], sid: randomUUID() },
    claims: NO_CLAIMS,
  };
  await store.openSession(
    {
      ...{ idHash: session, sid: family.sid ?? '', sub, authTime: now, amr: ['pwd'], openedByRequest: randomUUID() },
      ...{ passwordHash: undefined, idleExpiresAt: now + 3600, expiresAt: now + 86_400, userAgent: undefined },
      ...{ address: '127.0.0.1', replaces: undefined },
    },
    now,
  );
  const [access, refresh] = [token('access', ACCESS_TOKEN_TTL), token('refresh', REFRESH_TOKEN_TTL)];
  await store.addTokenFamily(APP, family, { grantId: randomUUID(), issuedAt: now, access, refresh });
  return { session, family, access, refresh, part };
}
