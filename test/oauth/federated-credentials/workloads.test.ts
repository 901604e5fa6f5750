import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import type { ClientKey } from '../../../src/directory/clients/keys.rules.ts';
import { explanationOf } from '../../audit/explain/cases/world.ts';
import { aSigningPair, assertionFor, presenting } from '../../build/assertion.ts';
import { assertRefused, post, token } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { type DocumentServer, openDocumentServer } from '../../build/document-server.ts';
import { aClient, anApplication, type ClientInput } from '../../build/fixture.ts';
import { keySetOf } from '../../build/key-server.ts';
import { elsewhere } from '../../build/limits.ts';
import { aStatement } from '../../build/software-statement.ts';
import { startTestServer, type TestServer } from '../../build/test-server.ts';
import { until } from '../../build/until.ts';
import type { Fields } from '../../build/visitor.ts';

const KEY = aSigningPair('RS256', 'platform');
const NEXT_KEY = aSigningPair('ES256', 'next key of the platform');
const STRANGER = aSigningPair('RS256', 'stranger');
const OWN = aSigningPair('ES256', 'own');
const API = { identifier: 'https://api.shop.example', name: 'Orders', scopes: { 'orders:read': 'Read orders' } };
const GRANT = { grant_type: 'client_credentials', scope: 'orders:read' };
const HOUR = 3600;

/** As each platform makes them. */
const PLATFORMS = {
  kubernetes: {
    issuer: 'https://kubernetes.default.svc.cluster.local',
    subject: 'system:serviceaccount:shop:orders',
    claims: { 'kubernetes.io': { namespace: 'shop', serviceaccount: { name: 'orders' } }, jti: undefined },
    header: {},
  },
  github: {
    issuer: 'https://token.actions.githubusercontent.com',
    subject: 'repo:example/shop:environment:Production EU',
    claims: { repository: 'example/shop', ref: 'refs/heads/main' },
    header: { typ: 'JWT', x5t: 'ykNaY4qM_ta4k2TgZOCEYLkcYlA' },
  },
  gitlab: {
    issuer: 'https://gitlab.example',
    subject: 'project_path:example/shop:ref_type:branch:ref:main',
    claims: { project_path: 'example/shop', user_email: 'dev@example.com' },
    header: { typ: 'JWT' },
  },
  spiffe: {
    issuer: 'https://spire.example',
    subject: 'spiffe://example.org/ns/shop/sa/orders',
    claims: { iat: undefined },
    header: { typ: 'JOSE' },
  },
} as const;
const SUBJECT = PLATFORMS.github.subject;

const machine = (over: ClientInput): ClientInput => ({
  ...{ grant_types: ['client_credentials'], scope: 'orders:read', token_endpoint_auth_method: 'private_key_jwt' },
  ...over,
});
/** Key sets that a process fetches at the same time. */
const MANY = 100;
const jwks = { keys: [KEY.publicJwk as unknown as ClientKey] };

describe('workloads without secrets: federated_credentials (modern contract, RFC 7523 section 2.2)', () => {
  const clock = fixedClock();
  let platform: DocumentServer;
  let server: TestServer;
  let issuer: string;

  before(async () => {
    platform = await openDocumentServer();
    issuer = platform.at('');
    const at = (path: string, over: object = {}) => [{ issuer: platform.at(path), subject: SUBJECT, ...over }];
    const workload = (client_id: string, federated_credentials: ClientInput['federated_credentials']) =>
      machine({ client_id, federated_credentials });
    server = await startTestServer({
      clock,
      env: { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1', TRUSTED_PROXIES: '127.0.0.1' },
      applications: [
        anApplication({
          apis: [API],
          clients: [
            aClient(),
            ...Object.entries(PLATFORMS).map(([name, { issuer, subject }]) =>
              workload(name, [{ issuer, subject, jwks }]),
            ),
            workload('discovered', at('')),
            workload('published', at('/published', { jwks_uri: platform.at('/published-keys') })),
            workload('lying', at('/lying')),
            workload('inward', at('/inward')),
            workload('silent', at('/silent')),
            workload('elsewhere', at('', { audience: 'https://gate.example' })),
            // Clusters that were set up alike call themselves alike.
            workload(
              'two-clusters',
              [
                { ...PLATFORMS.kubernetes, jwks },
                { ...PLATFORMS.kubernetes, jwks: { keys: [NEXT_KEY.publicJwk as unknown as ClientKey] } },
              ].map(({ issuer, subject, jwks }) => ({ issuer, subject, jwks })),
            ),
            ...Array.from({ length: MANY }, (_, at) =>
              machine({ client_id: `slow-${at}`, jwks_uri: platform.at(`/slow/${at}`) }),
            ),
            workload('patient', at('/patient')),
            machine({ client_id: 'both', jwks: { keys: [OWN.publicJwk] }, federated_credentials: at('') }),
            machine({ client_id: 'keys', jwks: { keys: [OWN.publicJwk] } }),
          ],
        }),
        anApplication({
          ...{ code: 'bank', name: 'Bank', apis: [API] },
          clients: [
            workload(
              'github',
              [{ ...PLATFORMS.github, jwks }].map(({ issuer, subject }) => ({ issuer, subject, jwks })),
            ),
          ],
        }),
      ],
    });
    publish('', {});
    platform.answer('/keys', keySetOf(KEY.publicJwk));
    platform.answer('/published-keys', keySetOf(KEY.publicJwk));
    publish('/lying', { issuer });
    publish('/inward', { jwks_uri: 'https://10.0.0.1/keys' });
  });
  after(async () => {
    await server.close();
    await platform.close();
  });

  // Of many refusals of a kind few are kept in a minute.
  afterEach(() => clock.advance(60));

  function publish(path: string, over: object): void {
    const document = { issuer: platform.at(path), jwks_uri: platform.at('/keys'), ...over };
    const headers = { 'content-type': 'application/json' };
    platform.answer(`${path}/.well-known/openid-configuration`, { headers, body: JSON.stringify(document) });
  }

  interface Parts {
    readonly signer?: typeof KEY;
    readonly header?: object;
    readonly claims?: object;
  }
  const issued = ({ signer = KEY, header = {}, claims = {} }: Parts = {}) => {
    const now = clock.now();
    const times = { iat: now, nbf: now, exp: now + HOUR };
    return aStatement(signer, { iss: issuer, sub: SUBJECT, aud: server.at(), ...times, ...claims }, { ...header });
  };
  const ask = (client_id: string | undefined, presented: string, over: Fields = {}, app?: string) => {
    const named = client_id === undefined ? {} : { client_id };
    return token(server, { ...GRANT, ...presenting(presented, { ...named, ...over }) }, { headers: elsewhere() }, app);
  };
  const accepts = async (client: string, parts: Parts = {}) => {
    const answered = await ask(client, issued(parts));
    assert.equal(answered.status, 200, answered.text);
    return answered.json;
  };
  const refuses = async (client: string | undefined, parts: Parts = {}, app?: string) => {
    const answered = await ask(client, issued(parts), {}, app);
    assertRefused(answered, 401, 'invalid_client');
    return (await explanationOf(server, answered)).difference;
  };
  const kindOf = async (client: string, parts: Parts) => (await refuses(client, parts))?.kinds;

  for (const [client, { issuer: iss, subject: sub, claims, header }] of Object.entries(PLATFORMS)) {
    it(`takes a token of ${client}, and its access token is the client's`, async () => {
      const parts = { header, claims: { iss, sub, ...claims } };
      const { access_token } = await accepts(client, parts);
      const body = { token: access_token, ...presenting(issued(parts), { client_id: client }) };
      const { json } = await post(`${server.at()}/introspect`, body);
      assert.deepEqual([json.active, json.client_id], [true, client]);
    });
  }

  it('takes the same token again until it expires: the platform has written one into a file', async () => {
    const presented = issued({ claims: { jti: 'one' } });
    for (const _ of [1, 2]) assert.equal((await ask('discovered', presented)).status, 200);
    clock.advance(HOUR + 60);
    assertRefused(await ask('discovered', presented), 401, 'invalid_client');
  });

  it('at introspection and revocation too', async () => {
    const { access_token } = await accepts('discovered');
    const body = { token: access_token, ...presenting(issued(), { client_id: 'discovered' }) };
    assert.equal((await post(`${server.at()}/introspect`, body)).json.active, true);
    assert.equal((await post(`${server.at()}/revoke`, body)).status, 200);
    assert.equal((await post(`${server.at()}/introspect`, body)).json.active, false);
  });

  describe('the subject is compared exactly', () => {
    const lookAlikes = {
      prefix: SUBJECT.slice(0, -1),
      suffix: `${SUBJECT}2`,
      case: SUBJECT.toUpperCase(),
      'a star': 'repo:example/shop:*',
      'another repository that begins alike': 'repo:example/shop-evil:environment:Production EU',
      'an invisible character': `${SUBJECT}\u200b`,
      'white space': `${SUBJECT} `,
      'a list': [SUBJECT],
      nothing: undefined,
    };
    for (const [what, sub] of Object.entries(lookAlikes)) {
      it(`refuses ${what}`, async () => {
        assert.deepEqual(await kindOf('discovered', { claims: { sub } }), ['subject']);
      });
    }

    it('the explanation has both texts, and where they part', async () => {
      const difference = await refuses('discovered', { claims: { sub: SUBJECT.replace('shop', 'shed') } });
      assert.deepEqual([difference?.expected, difference?.at], [SUBJECT, SUBJECT.indexOf('shop') + 2]);
    });
  });

  describe('refuses', () => {
    const cases: Readonly<Record<string, readonly [kind: string, () => Parts]>> = {
      'another issuer with the same subject': ['issuer', () => ({ claims: { iss: PLATFORMS.gitlab.issuer } })],
      'an issuer that differs by a slash': ['issuer', () => ({ claims: { iss: `${issuer}/` } })],
      'a token for another audience': ['audience', () => ({ claims: { aud: 'https://sts.amazonaws.com' } })],
      'a token for the token endpoint': ['audience', () => ({ claims: { aud: `${server.at()}/token` } })],
      'a token without an audience': ['audience', () => ({ claims: { aud: undefined } })],
      'one that has expired': ['expired', () => ({ claims: { exp: clock.now() - 60 } })],
      'one that never expires': ['expiry-missing', () => ({ claims: { exp: undefined } })],
      'one that is good for a month': ['expiry-too-far', () => ({ claims: { exp: clock.now() + 30 * 24 * HOUR } })],
      'one from the future': ['not-yet-valid', () => ({ claims: { nbf: clock.now() + 100 } })],
      'one that somebody else signed': ['unknown-kid', () => ({ signer: STRANGER })],
      'one signed under the name of its key': [
        'signature',
        () => ({ signer: STRANGER, header: { kid: KEY.publicJwk.kid } }),
      ],
      'one that nobody signed': ['algorithm', () => ({ header: { alg: 'none' } })],
    };
    for (const [what, [kind, parts]] of Object.entries(cases)) {
      it(what, async () => assert.deepEqual(await kindOf('discovered', parts()), [kind]));
    }

    it('one whose public key is taken for a shared secret (RFC 8725 section 2.1)', async () => {
      assert.deepEqual(await kindOf('discovered', { header: { alg: 'HS256' } }), ['method']);
    });

    it('a token of the same workload for another application', async () => {
      const claims = { iss: PLATFORMS.github.issuer };
      assert.deepEqual((await refuses('github', { claims }, 'bank'))?.kinds, ['audience']);
    });

    it('a token of the workload for another client, and one without client_id', async () => {
      assert.deepEqual(await kindOf('github', {}), ['issuer']);
      await refuses(undefined);
    });

    it('a token of a platform where the client has registered none', async () => {
      assert.deepEqual(await kindOf('keys', {}), ['issuer']);
    });
  });

  it('takes the audience of the credential alone where it names one', async () => {
    assert.deepEqual(await kindOf('elsewhere', {}), ['audience']);
    await accepts('elsewhere', { claims: { aud: ['https://gate.example', 'https://other.example'] } });
  });

  it('a client with keys of its own signs as before, each assertion once; one without has none', async () => {
    const own = () => assertionFor(server, OWN, { clientId: 'both', now: clock.now() });
    const presented = own();
    assert.equal((await ask('both', presented)).status, 200);
    assertRefused(await ask('both', presented), 401, 'invalid_client');
    assert.equal((await ask(undefined, own())).status, 200);
    await accepts('both');
    const posed = assertionFor(server, OWN, { clientId: 'discovered', now: clock.now() });
    const refused = await ask('discovered', posed);
    assertRefused(refused, 401, 'invalid_client');
    assert.deepEqual((await explanationOf(server, refused)).difference?.kinds, ['unknown-kid']);
  });

  it('takes the token of either cluster where both have the same issuer and subject', async () => {
    const { issuer: iss, subject: sub } = PLATFORMS.kubernetes;
    for (const signer of [KEY, NEXT_KEY]) await accepts('two-clusters', { signer, claims: { iss, sub } });
    assert.deepEqual(await kindOf('two-clusters', { signer: STRANGER, claims: { iss, sub } }), ['unknown-kid']);
  });

  describe('the keys of the issuer', () => {
    it('attack: are read also while the key sets of many clients do not come', async () => {
      const held = Promise.withResolvers<void>();
      const slow = Array.from({ length: MANY }, (_, at) => {
        platform.answer(`/slow/${at}`, { ...keySetOf(OWN.publicJwk), when: held.promise });
        return ask(undefined, assertionFor(server, OWN, { clientId: `slow-${at}`, now: clock.now() }));
      });
      await until('all of them are asked for', () => slow.every((_, at) => platform.count(`/slow/${at}`) > 0));
      publish('/patient', { jwks_uri: platform.at('/patient/keys') });
      platform.answer('/patient/keys', keySetOf(KEY.publicJwk));
      await accepts('patient', { claims: { iss: platform.at('/patient') } }).finally(held.resolve);
      await Promise.all(slow);
    });

    it('are where the credential says, without metadata', async () => {
      await accepts('published', { claims: { iss: platform.at('/published') } });
      assert.equal(platform.count('/published/.well-known/openid-configuration'), 0);
    });

    it('are read again when the platform has a new one', async () => {
      platform.answer('/published-keys', keySetOf(KEY.publicJwk, NEXT_KEY.publicJwk));
      clock.advance(11);
      await accepts('published', { signer: NEXT_KEY, claims: { iss: platform.at('/published') } });
    });

    for (const [client, kind, what] of [
      [
        'lying',
        'metadata',
        'not believed where the metadata name another issuer (OpenID Connect Discovery section 4.3)',
      ],
      ['silent', 'metadata', 'not there where the issuer publishes nothing'],
      ['inward', 'jwks-uri', 'not read from a private address'],
    ] as const) {
      it(`are ${what}`, async () => {
        assert.deepEqual(await kindOf(client, { claims: { iss: platform.at(`/${client}`) } }), [kind]);
      });
    }

    it('are not asked for before the claims of the token are right', async () => {
      const count = platform.count();
      await refuses('silent', { claims: { iss: platform.at('/silent'), aud: 'https://other.example' } });
      await refuses('silent', { claims: { iss: platform.at('/unregistered') } });
      assert.equal(platform.count(), count);
    });
  });
});
