import { NO_CLAIMS } from '../../src/oauth/authorize/claims-request.rules.ts';
import { MAX_REFRESH_GRACE } from '../../src/oauth/refresh/rules.ts';
import type { TokenFamily } from '../../src/oauth/token/store.ts';
import { keyOf, newCredential } from '../../src/platform/crypto/credential.ts';
import { systemRandom } from '../../src/platform/crypto/random.ts';
import type { Store } from '../../src/store.ts';
import { type ApplicationInput, aClient, anApplication, CALLBACK } from '../build/fixture.ts';
import { SESSION_COOKIE, signedIn } from '../build/people.ts';
import { startTestServer, type TestServer } from '../build/test-server.ts';

/** The database before the nodes start: provisioned, with one user signed in. */
export interface Given {
  readonly store: Store;
  /** Of a browser in which alice is signed in. */
  readonly cookie: string;
  addCodes(count: number): Promise<string[]>;
  addFamilies(count: number): Promise<string[]>;
  close(): Promise<void>;
}

/** A client whose refresh goes on being retried while what was broken is started again, on a busy machine. */
const PERSISTENT = aClient({ refresh_token_grace: MAX_REFRESH_GRACE });
const CODE_SECONDS = 300;
const AT_ONCE = 100;

export async function given(
  databaseUrl: string,
  application: Partial<ApplicationInput> = {},
  env: Readonly<Record<string, string>> = {},
): Promise<Given> {
  const server = await startTestServer({
    applications: [anApplication({ clients: [PERSISTENT], ...application })],
    env: { DATABASE_URL: databaseUrl, ...env },
  });
  const { store, clock } = server.services;
  const visitor = await signedIn(server);
  const grant = await aGrant(server);
  return {
    store,
    cookie: `${SESSION_COOKIE}=${visitor.cookies.get(SESSION_COOKIE)}`,
    addCodes: count =>
      each(count, async () => {
        const expiresAt = clock.now() + CODE_SECONDS;
        const code = newCredential('code', expiresAt, systemRandom);
        await store.addCode('shop', {
          codeHash: keyOf(code),
          family: grant,
          redirectUri: CALLBACK,
          codeChallenge: undefined,
          clientAuthenticationRequired: false,
          withRefresh: true,
          nonce: undefined,
          expiresAt,
        });
        return code;
      }),
    addFamilies: count =>
      each(count, async () => {
        const issuedAt = clock.now();
        const expiresAt = issuedAt + 3600;
        const [access, refresh] = [
          newCredential('access', expiresAt, systemRandom),
          newCredential('refresh', expiresAt, systemRandom),
        ];
        await store.addTokenFamily('shop', grant, {
          grantId: systemRandom.bytes(16).toString('base64url'),
          issuedAt,
          access: { hash: keyOf(access), expiresAt },
          refresh: { hash: keyOf(refresh), expiresAt },
        });
        return refresh;
      }),
    close: () => server.close(),
  };
}

async function aGrant({ services }: TestServer): Promise<TokenFamily> {
  const account = await services.store.findAccount('alice');
  if (!account) throw new Error('alice is not there');
  return {
    clientId: 'web',
    sub: account.sub,
    scope: ['openid'],
    authTime: services.clock.now(),
    amr: ['pwd'],
    sid: undefined,
    claims: NO_CLAIMS,
  };
}

/** A few at a time: the store rejects thousands of writes at once. */
async function each(count: number, make: () => Promise<string>): Promise<string[]> {
  const made: string[] = [];
  while (made.length < count) {
    made.push(...(await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - made.length) }, make))));
  }
  return made;
}
