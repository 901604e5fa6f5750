import { aCode, aPkcePair, aTokenSet, basic } from '../../build/client.ts';
import { aClient, anApplication, aPublicClient, aUser, CALLBACK } from '../../build/fixture.ts';
import { startTestServer, type TestServer } from '../../build/test-server.ts';
import { authorizationUrl, signIn, Visitor } from '../../build/visitor.ts';
import { HUSH } from './values.ts';

/** Real credentials, so that the good half of a request gets past the first checks. */
export interface Pool {
  readonly origin: string;
  readonly basics: readonly string[];
  readonly clientSecrets: readonly string[];
  readonly password: string;
  readonly accessTokens: readonly string[];
  readonly refreshTokens: readonly string[];
  readonly codes: readonly string[];
  readonly verifier: string;
  readonly idToken: string;
  /** Signed in; a browser cookie with the pending request it opens. */
  readonly session: string;
  readonly browser: string;
  readonly pendings: readonly string[];
  readonly redirectUris: readonly string[];
}

const SECRETS = [`${HUSH}web`, `${HUSH}jwt`, `${HUSH}other`] as const;
const FUZZ_PASSWORD = `${HUSH}password`;
const NATIVE = 'http://127.0.0.1/native';

export async function startFuzzedServer(): Promise<{ server: TestServer; pool: Pool }> {
  const server = await startTestServer({
    applications: [
      anApplication({
        clients: [
          aClient({ client_secret: SECRETS[0] }),
          aPublicClient({ redirect_uris: ['https://spa.example/cb', NATIVE] }),
          aClient({ client_id: 'jwt', client_secret: SECRETS[1], access_token_format: 'jwt' }),
        ],
      }),
      anApplication({ code: 'strict', strict_oidc: true, clients: [aClient({ client_secret: SECRETS[2] })] }),
      // The demo callback answers only where this client is.
      anApplication({ code: 'demo', clients: [aClient({ client_id: 'demo', client_secret: `${HUSH}demo` })] }),
    ],
    users: [aUser({ password: FUZZ_PASSWORD })],
  });
  return { server, pool: await fill(server) };
}

async function fill(server: TestServer): Promise<Pool> {
  const web = basic('web', SECRETS[0]);
  const { verifier, challenge } = aPkcePair();
  const alice = { password: FUZZ_PASSWORD };
  const sets = [
    await aTokenSet(server, alice, { auth: web }),
    await aTokenSet(server, alice, { auth: basic('jwt', SECRETS[1]) }),
    await aTokenSet(server, alice, { auth: basic('web', SECRETS[2]) }, 'strict'),
  ];
  const visitor = new Visitor(server.base);
  const pkce = { code_challenge: challenge, code_challenge_method: 'S256' };
  await signIn(server, {}, { visitor, ...alice });
  const codes = [await aCode(server, {}, { visitor }), await aCode(server, pkce, { visitor })];
  const stranger = new Visitor(server.base);
  const pendings: string[] = [];
  // Many, since each opens one session only.
  for (let at = 0; at < 40; at++) {
    const app = at % 4 === 0 ? 'strict' : 'shop';
    const { location } = await stranger.go(authorizationUrl(server, {}, app));
    pendings.push(new URL(location ?? '').searchParams.get('pending') ?? '');
  }
  return {
    origin: server.base,
    basics: [web, basic('jwt', SECRETS[1]), basic('web', SECRETS[2])],
    clientSecrets: [...SECRETS, `${HUSH}demo`],
    password: FUZZ_PASSWORD,
    accessTokens: sets.map(set => set.access_token),
    refreshTokens: sets.map(set => set.refresh_token),
    codes,
    verifier,
    idToken: sets[0].id_token,
    session: visitor.cookies.get('gatehouse_session') ?? '',
    browser: stranger.cookies.get('gatehouse_browser') ?? '',
    pendings,
    redirectUris: [CALLBACK, 'https://spa.example/cb', NATIVE, 'http://127.0.0.1:49152/native'],
  };
}
