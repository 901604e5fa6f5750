import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { afterEach, describe, it } from 'node:test';
import { explanationOf } from '../../audit/explain/cases/world.ts';
import { aSigningPair, encoded } from '../../build/assertion.ts';
import { type Answered, assertRefused, basic, token } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { aUser } from '../../build/fixture.ts';
import { JWT_BEARER } from '../../build/identity-assertion.ts';
import { keySetOf } from '../../build/key-server.ts';
import { suitePart } from '../../build/suite-part.ts';
import { suiteServer } from '../../build/test-server.ts';
import { withStatus } from '../../build/with-status.ts';
import {
  agent,
  assertionOf,
  bring,
  ORDERS,
  openOtherIssuer,
  type Parts,
  providerAt,
  trusting,
} from './other-issuer.ts';

const KEY = aSigningPair('ES256', 'other issuer');
const STRANGER = aSigningPair('ES256', 'stranger');

const clock = fixedClock();
const other = suitePart(() => openOtherIssuer(KEY));
const server = suiteServer(
  () => {
    const issuer = other.at('');
    const policy = { issuer, scopes: ['orders:read'] };
    const lone = { client_secret: 'another-secret', grant_types: [JWT_BEARER as never] };
    return {
      clock,
      env: { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1', TRUSTED_PROXIES: '127.0.0.1' },
      users: [],
      applications: [
        trusting(issuer, { clients: [agent(), agent({ client_id: 'rival', ...lone })] }),
        trusting(issuer, { code: 'bank', name: 'Bank' }),
        trusting(issuer, {
          ...{ code: 'keys', name: 'Keys' },
          assertion_issuers: [
            { ...policy, clients: ['agent'], jwks: { keys: [aSigningPair('ES256', 'old').publicJwk] } },
            { ...policy, clients: ['agent'], issuer: other.at('/lying') },
            { ...policy, clients: ['agent'], issuer: 'https://10.0.0.1' },
          ],
        }),
      ],
    };
  },
  () =>
    server.provision({
      providers: [providerAt(other.at(''))],
      users: [aUser({ links: [{ provider: 'corp', subject: 'corp-alice' }] })],
    }),
);
// Of many refusals of a kind few are kept in a minute.
afterEach(() => clock.advance(60));

const made = (parts: Parts = {}) => assertionOf({ clock, signer: KEY, issuer: other.at(''), server }, parts);
const kindsOf = async (answered: Answered) => {
  assertRefused(answered, 400, 'invalid_grant');
  assert.match(answered.json.error_description, /^The assertion cannot be used: /);
  return (await explanationOf(server, answered)).difference?.kinds;
};

describe('an assertion that fails one check gives nothing (RFC 7523 section 3; draft section 4.4.1)', () => {
  const cases: Readonly<Record<string, readonly [kind: string, parts: () => Parts]>> = {
    'the issuer with a slash at its end': ['issuer', () => ({ claims: { iss: `${other.at('')}/` } })],
    'the issuer in capital letters': ['issuer', () => ({ claims: { iss: other.at('').toUpperCase() } })],
    'the issuer with an invisible character': ['issuer', () => ({ claims: { iss: `${other.at('')}\u200b` } })],
    'the issuer in a list': ['issuer', () => ({ claims: { iss: [other.at('')] } })],
    'no issuer': ['issuer', () => ({ claims: { iss: undefined } })],
    'this issuer itself (draft section 8.3)': ['own-issuer', () => ({ claims: { iss: server.at() } })],
    'another application as audience': ['audience', () => ({ claims: { aud: server.at('bank') } })],
    'the token endpoint as audience': ['audience', () => ({ claims: { aud: `${server.at()}/token` } })],
    'the audience with a slash': ['audience', () => ({ claims: { aud: `${server.at()}/` } })],
    'a second audience': ['audience', () => ({ claims: { aud: [server.at(), 'https://else.example'] } })],
    'the same audience twice': ['audience', () => ({ claims: { aud: [server.at(), server.at()] } })],
    'no audience': ['audience', () => ({ claims: { aud: undefined } })],
    'an empty list of audiences': ['audience', () => ({ claims: { aud: [] } })],
    'another client': ['client', () => ({ claims: { client_id: 'rival' } })],
    'no client': ['client', () => ({ claims: { client_id: undefined } })],
    'a list of clients': ['client', () => ({ claims: { client_id: ['agent'] } })],
    'an exp that has passed': ['expired', () => ({ claims: { iat: clock.now() - 300, exp: clock.now() - 60 } })],
    'no exp': ['times-missing', () => ({ claims: { exp: undefined } })],
    'no iat': ['times-missing', () => ({ claims: { iat: undefined } })],
    'times as texts': ['times-missing', () => ({ claims: { iat: `${clock.now()}` } })],
    'an iat in the future': ['not-yet-valid', () => ({ claims: { iat: clock.now() + 61 } })],
    'an nbf in the future': ['not-yet-valid', () => ({ claims: { nbf: clock.now() + 61 } })],
    'an exp far ahead': ['too-long', () => ({ claims: { exp: clock.now() + 3661 } })],
    'an iat long ago': ['too-long', () => ({ claims: { iat: clock.now() - 3661 } })],
    'no jti': ['id-missing', () => ({ claims: { jti: undefined } })],
    'a jti that is a number': ['id-missing', () => ({ claims: { jti: 7 } })],
    'no sub': ['subject-missing', () => ({ claims: { sub: undefined } })],
    'a sub that is a list': ['subject-missing', () => ({ claims: { sub: ['corp-alice'] } })],
    'somebody who acts': ['actor', () => ({ claims: { act: { sub: 'robot' } } })],
    'a scope that is a list': ['claim', () => ({ claims: { scope: ['orders:read'] } })],
    'a resource that is an object': ['claim', () => ({ claims: { resource: { uri: ORDERS.identifier } } })],
    'an ID token': ['type', () => ({ header: { typ: 'JWT' } })],
    'no typ': ['type', () => ({ header: { typ: undefined } })],
    'an access token': ['type', () => ({ header: { typ: 'at+jwt' } })],
    'a logout token': ['type', () => ({ header: { typ: 'logout+jwt' } })],
    'a client assertion': ['type', () => ({ header: { typ: 'client-authentication+jwt' } })],
    'a critical extension': ['malformed', () => ({ header: { crit: ['exp'] } })],
    'a sub that no store can have': ['malformed', () => ({ claims: { sub: 'corp-alice\0' } })],
    'a jti that no store can have': ['malformed', () => ({ claims: { jti: 'x\0' } })],
    'half a character': ['malformed', () => ({ claims: { sub: 'corp-alice\ud83d' } })],
    'too many characters': ['malformed', () => ({ claims: { picture: 'x'.repeat(8192) } })],
    'the algorithm none': ['algorithm', () => ({ header: { alg: 'none' } })],
    'a shared secret as algorithm': ['algorithm', () => ({ header: { alg: 'HS256' } })],
    'somebody else as signer': ['unknown-kid', () => ({ signer: STRANGER })],
    'somebody else under the kid of the issuer': [
      'signature',
      () => ({ signer: STRANGER, header: { kid: KEY.publicJwk.kid } }),
    ],
    'a key in its own header': [
      'signature',
      () => ({ signer: STRANGER, header: { kid: undefined, jwk: STRANGER.publicJwk } }),
    ],
    'the address of keys in its own header': [
      'unknown-kid',
      () => ({ signer: STRANGER, header: { jku: 'https://evil.example/keys' } }),
    ],
  };
  for (const [what, [kind, parts]] of Object.entries(cases)) {
    it(`attack: ${what}`, async () => assert.deepEqual(await kindsOf(await bring(server, made(parts()))), [kind]));
  }

  it('attack: a MAC with the published key as its secret (RFC 8725 section 2.1)', async () => {
    const [, claims = ''] = made().split('.');
    const input = `${encoded({ alg: 'HS256', typ: 'oauth-id-jag+jwt', kid: KEY.publicJwk.kid })}.${claims}`;
    const mac = createHmac('sha256', JSON.stringify(KEY.publicJwk)).update(input).digest('base64url');
    assert.deepEqual(await kindsOf(await bring(server, `${input}.${mac}`)), ['algorithm']);
  });

  it('attack: claims that were changed under the signature', async () => {
    const [head, , seal] = made().split('.');
    const [, claims] = made({ claims: { sub: 'corp-bob' } }).split('.');
    assert.deepEqual(await kindsOf(await bring(server, `${head}.${claims}.${seal}`)), ['signature']);
  });

  for (const text of ['x', '..', 'a.b.c', `${encoded({})}.${encoded({})}.`]) {
    it(`attack: no JWT at all: ${text.slice(0, 12)}`, async () => {
      const [kind] = (await kindsOf(await bring(server, text))) ?? [];
      assert(['malformed', 'type'].includes(`${kind}`), `${kind}`);
    });
  }

  it('the typ is compared as a media type: without case, with or without application/ (RFC 7515 section 4.1.9)', async () => {
    await withStatus(200, bring(server, made({ header: { typ: 'application/OAuth-ID-JAG+jwt' } })));
  });

  it('clocks may differ by a minute', async () => {
    const now = clock.now();
    await withStatus(200, bring(server, made({ claims: { iat: now + 60, exp: now + 360 } })));
    await withStatus(200, bring(server, made({ claims: { iat: now - 300, exp: now - 59 } })));
  });
});

describe('an assertion is for one client of one application', () => {
  const rival = { auth: basic('rival', 'another-secret') };

  it('attack: another client of the application, with an assertion that it has found', async () => {
    const stolen = made();
    assert.deepEqual(await kindsOf(await bring(server, stolen, {}, rival)), ['issuer']);
    await withStatus(200, bring(server, stolen));
  });

  it('attack: another application, with the same client and the same issuer', async () => {
    assert.deepEqual(await kindsOf(await bring(server, made(), {}, { app: 'bank' })), ['audience']);
  });

  it('attack: an assertion is no client assertion, and a client assertion no assertion', async () => {
    const assertion = made();
    const posed = { client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer' };
    const answered = await token(
      server,
      { grant_type: JWT_BEARER, assertion, ...posed, client_assertion: assertion },
      {},
    );
    assertRefused(answered, 401, 'invalid_client');
  });

  it('an assertion twice in a request is refused, and spends neither', async () => {
    const assertion = made();
    const body = `grant_type=${encodeURIComponent(JWT_BEARER)}&assertion=${assertion}&assertion=${assertion}`;
    assertRefused(await token(server, body, { auth: basic('agent', 'web-secret-1') }), 400, 'invalid_request');
    await withStatus(200, bring(server, assertion));
  });
});

describe('an assertion is good once', () => {
  it('attack: the same again, also signed anew with the same jti', async () => {
    const first = made({ claims: { jti: 'same' } });
    await withStatus(200, bring(server, first));
    assert.deepEqual(await kindsOf(await bring(server, first)), ['replayed']);
    const later = made({ claims: { jti: 'same', exp: clock.now() + 3000 } });
    assert.deepEqual(await kindsOf(await bring(server, later)), ['replayed']);
  });

  it('one that was refused for what was asked for is not spent', async () => {
    const assertion = made();
    assertRefused(await bring(server, assertion, { scope: 'orders:write' }), 400, 'invalid_scope');
    await withStatus(200, bring(server, assertion));
  });

  it('the jti of another issuer, and of another application, is another one', async () => {
    const claims = { jti: 'shared by two' };
    await withStatus(200, bring(server, made({ claims })));
    const there = made({ claims: { ...claims, aud: server.at('bank') } });
    await withStatus(200, bring(server, there, {}, { app: 'bank' }));
  });
});

describe('the keys of the issuer', () => {
  const atKeys = (iss: string, parts: Parts = {}) =>
    bring(server, made({ ...parts, claims: { iss, aud: server.at('keys') } }), {}, { app: 'keys' });

  it('are those of the entry where it has some, and no others', async () => {
    assert.deepEqual(await kindsOf(await atKeys(other.at(''))), ['unknown-kid']);
  });

  it('are not believed where the metadata name another issuer (OpenID Connect Discovery section 4.3)', async () => {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ issuer: other.at(''), jwks_uri: other.at('/keys') });
    other.answer('/lying/.well-known/openid-configuration', { headers, body });
    assert.deepEqual(await kindsOf(await atKeys(other.at('/lying'))), ['metadata']);
  });

  it('are not looked for in a private network', async () => {
    assert.deepEqual(await kindsOf(await atKeys('https://10.0.0.1')), ['metadata']);
  });

  it('are not asked for before the claims are right', async () => {
    const before = other.count();
    await bring(server, made({ claims: { aud: 'https://else.example' }, header: { kid: 'new' } }));
    await bring(server, made({ claims: { iss: other.at('/unknown') } }));
    assert.equal(other.count(), before);
  });

  it('are read again when the issuer has a new one', async () => {
    const next = aSigningPair('ES256', 'next key of the other issuer');
    other.answer('/keys', keySetOf(KEY.publicJwk, next.publicJwk));
    clock.advance(11);
    await withStatus(200, bring(server, made({ signer: next })));
  });
});
