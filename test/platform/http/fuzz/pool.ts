import { systemClock } from '../../../../src/assembly/services.ts';
import { createThrottle, LIMITS } from '../../../../src/platform/throttle/throttle.ts';
import { aSigningPair, assertionFor } from '../../../build/assertion.ts';
import { aCode, aPkcePair, aTokenSet, basic, send } from '../../../build/client.ts';
import { fixedClock } from '../../../build/clock.ts';
import { aTv, aWaitingDevice, type WaitingDevice } from '../../../build/device.ts';
import { aProof } from '../../../build/dpop.ts';
import { aClient, anApplication, aPublicClient, aUser, CALLBACK, type ClientInput } from '../../../build/fixture.ts';
import { startTestServer, type TestServer } from '../../../build/test-server.ts';
import { authorizationUrl, signIn, Visitor } from '../../../build/visitor.ts';
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
  /** Of waiting devices. */
  readonly deviceCodes: readonly string[];
  readonly userCodes: readonly string[];
  /** Clients that have registered themselves. */
  readonly registrations: readonly { readonly clientId: string; readonly token: string }[];
  /** Of the clients with a key and with a shared secret; each is good once. */
  readonly assertions: readonly string[];
  /** For the token endpoint; each is good once. */
  readonly proofs: readonly string[];
}

/** One address sends all requests: what it may push, register and type is not limited here, and a client may fail often. */
const PLENTY = { attempts: 1_000_000, refillSeconds: 1 };
const THROTTLED = {
  ...LIMITS,
  ...{ pushAddress: PLENTY, proofAddress: PLENTY, deviceAddress: PLENTY, registrationAddress: PLENTY },
  ...{
    client: { attempts: 60, refillSeconds: 5 },
    clientAddress: PLENTY,
    userCodeAddress: PLENTY,
    userCodeAccount: PLENTY,
    userCode: PLENTY,
  },
};
const KEY = aSigningPair('ES256', 'fuzz');

const SECRETS = [`${HUSH}web`, `${HUSH}jwt`, `${HUSH}other`] as const;
const SHARED = `${HUSH}shared-secret-of-32-characters`;
const FUZZ_PASSWORD = `${HUSH}password`;
const MACHINE: ClientInput['grant_types'] = ['authorization_code', 'client_credentials'];
const NATIVE = 'http://127.0.0.1/native';

export async function startFuzzedServer(): Promise<{ server: TestServer; pool: Pool }> {
  const server = await startTestServer({
    // Proofs and assertions are good for a minute, which a busy machine may take for less than all of them.
    clock: fixedClock(systemClock.now()),
    throttle: () => createThrottle(systemClock, THROTTLED),
    applications: [
      anApplication({
        dynamic_registration: 'open',
        clients: [
          aTv(),
          aClient({
            ...{ client_id: 'keyed', client_secret: undefined, token_endpoint_auth_method: 'private_key_jwt' },
            grant_types: MACHINE,
            jwks: { keys: [KEY.publicJwk] },
          }),
          aClient({
            ...{ client_id: 'shared', client_secret: SHARED },
            token_endpoint_auth_method: 'client_secret_jwt',
            grant_types: MACHINE,
          }),
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
  const devices: WaitingDevice[] = [];
  const registrations: Pool['registrations'][number][] = [];
  for (let at = 0; at < 20; at++) {
    devices.push(await aWaitingDevice(server));
    registrations.push(await aRegisteredClient(server));
  }
  const now = server.services.clock.now();
  const many = <T>(make: () => T) => Array.from({ length: 400 }, make);
  return {
    deviceCodes: devices.map(({ device_code }) => device_code),
    userCodes: devices.map(({ user_code }) => user_code),
    registrations,
    assertions: [
      ...many(() => assertionFor(server, KEY, { clientId: 'keyed', now })),
      ...many(() => assertionFor(server, SHARED, { clientId: 'shared', now })),
    ],
    proofs: many(() => aProof(KEY, 'POST', `${server.at()}/token`, { now })),
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

async function aRegisteredClient(server: TestServer): Promise<Pool['registrations'][number]> {
  const metadata = { redirect_uris: [CALLBACK], token_endpoint_auth_method: 'none' };
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify(metadata);
  const { json } = await send(`${server.at()}/register`, { method: 'POST', headers, body });
  return { clientId: json.client_id, token: json.registration_access_token };
}
