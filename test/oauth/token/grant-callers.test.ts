import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadTables } from '../../../src/assembly/tables.ts';
import { CIBA_GRANT } from '../../../src/oauth/ciba/rules.ts';
import { DEVICE_GRANT } from '../../../src/oauth/device/rules.ts';
import type { CallerKind } from '../../../src/oauth/token/caller.ts';
import { TOKEN_EXCHANGE } from '../../../src/oauth/token-exchange/rules.ts';
import { anAllowedRequest } from '../../build/approvals.ts';
import { aSigningPair } from '../../build/assertion.ts';
import {
  ALICE,
  aCode,
  aPkcePair,
  assertRefused,
  aTokenSet,
  basic,
  redeem,
  type Sending,
  token,
} from '../../build/client.ts';
import { anAllowedDevice } from '../../build/device.ts';
import { aClient, aPublicClient } from '../../build/fixture.ts';
import { anIdentityAssertion, JWT_BEARER } from '../../build/identity-assertion.ts';
import { suitePart } from '../../build/suite-part.ts';
import { suiteServer } from '../../build/test-server.ts';
import { type Fields, Visitor } from '../../build/visitor.ts';

const { grants } = await loadTables();

const NEEDED = 'Full authentication is required to access this resource';
const { verifier, asked: PKCE } = aPkcePair();
const SPA = { client_id: 'spa', redirect_uri: 'https://spa.example/cb' };

/** interface.md section 5 with rows 34 and 35; whatever is not accepted is refused as not authenticated. */
const ACCEPTED: Readonly<Record<string, readonly CallerKind[]>> = {
  authorization_code: ['authenticated', 'verifier'],
  refresh_token: ['authenticated', 'public'],
  password: ['authenticated'],
  client_credentials: ['authenticated'],
  [TOKEN_EXCHANGE]: ['authenticated'],
  [JWT_BEARER]: ['authenticated'],
  [DEVICE_GRANT]: ['authenticated', 'public'],
  [CIBA_GRANT]: ['authenticated'],
};

/** What a caller of each kind sends beside the parameters of the grant. */
const CALLERS: Readonly<Record<CallerKind, { readonly fields: Fields; readonly sending: Sending }>> = {
  authenticated: { fields: {}, sending: { auth: basic('web', 'web-secret-1') } },
  public: { fields: { client_id: 'spa' }, sending: {} },
  verifier: { fields: { code_verifier: verifier }, sending: {} },
};
const callerKinds = Object.keys(CALLERS) as CallerKind[];

describe('every grant and every kind of caller (rows 34, 35; interface.md section 5)', () => {
  const spa = aPublicClient({ grant_types: ['authorization_code', 'refresh_token', DEVICE_GRANT] });
  const web = aClient({
    grant_types: [
      'authorization_code',
      'refresh_token',
      'client_credentials',
      'password',
      TOKEN_EXCHANGE,
      JWT_BEARER,
      DEVICE_GRANT,
      CIBA_GRANT,
    ],
  });
  const apis = [{ identifier: 'urn:shop:files', name: 'Files' }];
  const token_exchange = [{ from: 'web', to: 'urn:shop:files' }];
  const issuerKey = aSigningPair('ES256');
  const assertion_issuers = [
    {
      ...{ issuer: 'https://other.example', jwks: { keys: [issuerKey.publicJwk] }, subject: 'email' as const },
      ...{ clients: ['web'], scopes: ['email'] },
    },
  ];
  const server = suiteServer({ shop: { apis, token_exchange, assertion_issuers, clients: [web, spa] } });
  const alice = suitePart(() => new Visitor(server.base));

  const isWeb = (kind: CallerKind) => kind === 'authenticated';
  const code = (kind: CallerKind) => aCode(server, isWeb(kind) ? {} : { ...SPA, ...PKCE }, { visitor: alice });
  const redirect = (kind: CallerKind): Fields => (isWeb(kind) ? {} : { redirect_uri: SPA.redirect_uri });

  /** Live parameters of a grant, of a client that the caller may be. */
  const PARAMETERS: Readonly<Record<string, (kind: CallerKind) => Promise<Fields>>> = {
    authorization_code: async kind => ({
      code: await code(kind),
      redirect_uri: 'https://client.example/cb',
      ...redirect(kind),
    }),
    refresh_token: async kind => {
      const proof = isWeb(kind) ? CALLERS.authenticated : CALLERS.verifier;
      const answered = await redeem(server, await code(kind), { ...redirect(kind), ...proof.fields }, proof.sending);
      assert.equal(answered.status, 200, answered.text);
      return { refresh_token: answered.json.refresh_token };
    },
    password: async () => ALICE,
    [TOKEN_EXCHANGE]: async () => ({
      subject_token: (await aTokenSet(server)).access_token,
      subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    }),
    [JWT_BEARER]: async () => {
      const names = { iss: 'https://other.example', sub: 'u-1', aud: server.at(), client_id: 'web' };
      const person = { email: 'alice@example.com', email_verified: true, scope: 'email' };
      const now = server.services.clock.now();
      return { assertion: anIdentityAssertion(issuerKey, { now, claims: { ...names, ...person } }) };
    },
    [DEVICE_GRANT]: async kind => {
      const { fields, sending } = CALLERS[kind === 'verifier' ? 'public' : kind];
      const device = await anAllowedDevice(server, { client_id: undefined, ...fields }, sending);
      return { device_code: device.device_code };
    },
    [CIBA_GRANT]: async () => {
      const { auth_req_id } = await anAllowedRequest(server, {}, CALLERS.authenticated.sending);
      return { auth_req_id };
    },
  };

  it('knows the callers of every grant', () => {
    const declared = [...grants].map(([grantType, { callers }]) => [grantType, [...callers]]);
    assert.deepEqual(Object.fromEntries(declared), ACCEPTED);
  });

  for (const [grantType, { subject, refreshToken }] of grants) {
    for (const kind of callerKinds) {
      const send = async () => {
        const parameters = await PARAMETERS[grantType]?.(kind);
        const { fields, sending } = CALLERS[kind];
        return token(server, { grant_type: grantType, ...parameters, ...fields }, sending);
      };
      if (ACCEPTED[grantType]?.includes(kind)) {
        it(`${grantType} takes the caller ${kind}, with the tokens that it declares`, async () => {
          const answered = await send();
          assert.equal(answered.status, 200, answered.text);
          assert.equal('refresh_token' in answered.json, refreshToken);
          // Whoever brings an identity assertion has got the user's claims in it.
          assert.equal('id_token' in answered.json, subject === 'user' && grantType !== JWT_BEARER);
        });
      } else {
        it(`${grantType} refuses the caller ${kind} as not authenticated`, async () => {
          assertRefused(await send(), 401, 'access_denied', NEEDED);
        });
      }
    }
  }

  for (const [name, fields] of [
    ['a missing grant_type', {}],
    ['an unknown grant_type', { grant_type: 'nonsense' }],
    ['a flow that is no grant', { grant_type: 'implicit' }],
  ] as const satisfies readonly (readonly [string, Fields])[]) {
    for (const kind of ['public', 'verifier'] as const) {
      it(`${name} refuses the caller ${kind} before grant_type is looked at (order of checks)`, async () => {
        const answered = await token(server, { ...fields, ...CALLERS[kind].fields }, CALLERS[kind].sending);
        assertRefused(answered, 401, 'access_denied', NEEDED);
      });
    }
  }

  it('refresh_token refuses a client_id that does not exist as invalid_client', async () => {
    const parameters = await PARAMETERS.refresh_token?.('public');
    const answered = await token(server, { grant_type: 'refresh_token', ...parameters, client_id: 'nobody' }, {});
    assertRefused(answered, 401, 'invalid_client');
  });

  it('refresh_token refuses a confidential client that only names itself', async () => {
    const parameters = await PARAMETERS.refresh_token?.('authenticated');
    const answered = await token(server, { grant_type: 'refresh_token', ...parameters, client_id: 'web' }, {});
    assertRefused(answered, 401, 'access_denied', NEEDED);
  });
});
