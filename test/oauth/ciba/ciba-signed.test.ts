import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { CIBA_GRANT } from '../../../src/oauth/ciba/rules.ts';
import { aDesk, asDesk, askPerson, decideRequest, theApproval } from '../../build/approvals.ts';
import { aSigningPair, assertionFor, presenting, type SigningPair, signedBy } from '../../build/assertion.ts';
import { assertRefused, claimsOf, parameter, post, token, userinfo } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { aProof } from '../../build/dpop.ts';
import { anApplication, aUser, type ClientInput } from '../../build/fixture.ts';
import { anOperatorClient } from '../../build/operator.ts';
import { bob, press } from '../../build/people.ts';
import { suiteServer } from '../../build/test-server.ts';
import type { Fields } from '../../build/visitor.ts';
import { Visitor } from '../../build/visitor.ts';

const KEY = aSigningPair('ES256', 'signing-desk');
const STRANGER = aSigningPair('ES256', 'stranger');
const BY_KEY: ClientInput = {
  ...{ client_secret: undefined, token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [KEY.publicJwk] } },
};
const ALG = { backchannel_authentication_request_signing_alg: 'ES256' } as const;

const clock = fixedClock();
const server = suiteServer({
  clock,
  applications: [
    anApplication({
      clients: [
        aDesk({ client_id: 'signer', ...BY_KEY, ...ALG }),
        aDesk({ client_id: 'hinter', ...BY_KEY }),
        aDesk({ client_id: 'keyless' }),
        aDesk({
          client_id: 'paired',
          ...BY_KEY,
          subject_type: 'pairwise',
          redirect_uris: ['https://paired.example/cb'],
        }),
        aDesk({ client_id: 'bank', profile: 'fapi2-message-signing', ...BY_KEY, ...ALG }),
      ],
    }),
  ],
  users: [aUser(), bob()],
});
beforeEach(() => clock.advance(4000));

const BC = () => `${server.at()}/bc-authorize`;
/** Authenticated by the key of the client; the audience of its assertion is this endpoint (section 7.1). */
function sendAs(clientId: string, fields: Fields, audience = BC()) {
  return post(BC(), presenting(assertionFor(server, KEY, { clientId, audience, now: clock.now() }), fields));
}

interface Over {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
  readonly by?: SigningPair;
}

function aRequestObject(clientId: string, { claims, header, by = KEY }: Over = {}): string {
  const now = clock.now();
  const all = { sub: undefined, nbf: now, scope: 'openid', login_hint: 'alice', ...claims };
  return signedBy(by, { clientId, audience: server.at(), now, claims: all, ...(header && { header }) });
}

describe('a signed request (CIBA section 7.1.1)', () => {
  it('has all parameters inside, and the person sees what was signed', async () => {
    const claims = { binding_message: 'Word 4711', requested_expiry: '120' };
    const { status, json, text } = await sendAs('signer', { request: aRequestObject('signer', { claims }) });
    assert.equal(status, 200, text);
    assert.equal(json.expires_in, 120);
    assert.match((await theApproval(server)).text, /Word 4711/);
  });

  it('counts once: the same object again is refused', async () => {
    const request = aRequestObject('signer');
    assert.equal((await sendAs('signer', { request })).status, 200);
    assertRefused(await sendAs('signer', { request }), 400, 'invalid_request', parameter('request'));
  });

  it('of parallel ones with one jti exactly one counts', async () => {
    const request = aRequestObject('signer');
    const answers = await Promise.all(Array.from({ length: 10 }, () => sendAs('signer', { request })));
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  });

  it('a request of this client that is not signed is refused, and so is a parameter beside the object', async () => {
    assertRefused(
      await sendAs('signer', { scope: 'openid', login_hint: 'alice' }),
      400,
      'invalid_request',
      parameter('request'),
    );
    const others = [{ binding_message: 'Other text' }, { resource: 'https://api.example' }];
    for (const beside of [{ login_hint: 'alice' }, { scope: 'openid' }, ...others]) {
      const fields = { request: aRequestObject('signer'), ...beside };
      assertRefused(await sendAs('signer', fields), 400, 'invalid_request', parameter('request'));
    }
  });

  const now = () => clock.now();
  for (const [what, over] of [
    ['signed by a stranger', () => ({ by: STRANGER })],
    ['not signed', () => ({ header: { alg: 'none' } })],
    ['of another algorithm than the registered one', () => ({ by: aSigningPair('RS256', 'signing-desk') })],
    ['of another issuer', () => ({ claims: { iss: 'hinter' } })],
    ['without iss', () => ({ claims: { iss: undefined } })],
    ['for another audience', () => ({ claims: { aud: 'https://elsewhere.example' } })],
    ['for this endpoint instead of the issuer', () => ({ claims: { aud: BC() } })],
    ['without aud', () => ({ claims: { aud: undefined } })],
    ['without exp', () => ({ claims: { exp: undefined } })],
    ['that has expired', () => ({ claims: { exp: now() - 61 } })],
    ['that lives longer than an hour', () => ({ claims: { exp: now() + 3601 } })],
    ['without iat', () => ({ claims: { iat: undefined } })],
    ['of the future', () => ({ claims: { iat: now() + 61 } })],
    ['without nbf', () => ({ claims: { nbf: undefined } })],
    ['that is not yet good', () => ({ claims: { nbf: now() + 61 } })],
    ['without jti', () => ({ claims: { jti: undefined } })],
    ['that is an assertion of the client', () => ({ claims: { sub: 'signer' } })],
    ['for another client_id', () => ({ claims: { client_id: 'hinter' } })],
    ['with another request inside', () => ({ claims: { request: 'x.y.z' } })],
    ['with an assertion inside', () => ({ claims: { client_assertion: 'x.y.z' } })],
    ['of another type', () => ({ header: { typ: 'logout+jwt' } })],
  ] as const satisfies readonly (readonly [string, () => Over])[]) {
    it(`${what} is refused`, async () => {
      const request = aRequestObject('signer', over());
      assertRefused(await sendAs('signer', { request }), 400, 'invalid_request', parameter('request'));
    });
  }

  it('a fault of a parameter inside is named as one outside', async () => {
    const request = aRequestObject('signer', { claims: { login_hint: undefined, scope: undefined } });
    assertRefused(await sendAs('signer', { request }), 400, 'invalid_request', parameter('scope'));
  });
});

describe('login_hint_token (CIBA section 7.1, RFC 9493)', () => {
  interface HintOver extends Over {
    readonly clientId?: string;
  }
  const hint = (subject: unknown, { claims, by = KEY, clientId = 'hinter' }: HintOver = {}) => {
    const parts = { clientId, audience: server.at(), now: clock.now(), claims: { sub_id: subject, ...claims } };
    return { scope: 'openid', login_hint_token: signedBy(by, parts) };
  };
  const opaque = { format: 'opaque', id: 'bob' };

  it('names the person by address, number, user name, or the subject that the client knows', async () => {
    const sub = (await server.services.store.findAccount('alice'))?.sub;
    for (const subject of [
      { format: 'email', email: 'alice@example.com' },
      { format: 'phone_number', phone_number: '+8613800000001' },
      { format: 'iss_sub', iss: server.at(), sub },
      opaque,
    ]) {
      const { status, text } = await sendAs('hinter', hint(subject));
      assert.equal(status, 200, `${subject.format}: ${text}`);
      clock.advance(3600);
    }
  });

  it('a pairwise client names its own subjects, and no others', async () => {
    const request = await sendAs('paired', hint(opaque, { clientId: 'paired' }));
    await decideRequest(server, 'allow', new Visitor(server.base), 'bob');
    const polled = await post(
      `${server.at()}/token`,
      presenting(assertionFor(server, KEY, { clientId: 'paired', now: clock.now() }), {
        grant_type: CIBA_GRANT,
        auth_req_id: request.json.auth_req_id,
      }),
    );
    const { sub } = claimsOf(polled.json.id_token);
    const bobs = (await server.services.store.findAccount('bob'))?.sub;
    assert.notEqual(sub, bobs);
    clock.advance(3600);
    const own = { format: 'iss_sub', iss: server.at(), sub };
    assert.equal((await sendAs('paired', hint(own, { clientId: 'paired' }))).status, 200);
    for (const foreign of [{ ...own, sub: bobs }, own]) {
      const clientId = foreign === own ? 'hinter' : 'paired';
      assertRefused(await sendAs(clientId, hint(foreign, { clientId })), 400, 'unknown_user_id');
    }
  });

  it('that has expired is expired_login_hint_token', async () => {
    const old = hint(opaque, { claims: { exp: clock.now() - 61 } });
    assertRefused(await sendAs('hinter', old), 400, 'expired_login_hint_token');
  });

  for (const [what, over, subject] of [
    ['signed by a stranger', { by: STRANGER }, opaque],
    ['of another client', { clientId: 'signer' }, opaque],
    ['for another issuer', { claims: { aud: 'https://elsewhere.example' } }, opaque],
    ['without an end', { claims: { exp: undefined } }, opaque],
    ['with a subject of another issuer', {}, { format: 'iss_sub', iss: 'https://elsewhere.example', sub: 'x' }],
    ['with a format that names nobody', {}, { format: 'did', url: 'did:example:1' }],
    ['with a format of every object', {}, { format: 'toString' }],
    ['without a subject', {}, undefined],
    ['with a name that no store can have', {}, { format: 'opaque', id: 'bob\0' }],
    ['with half a character', {}, { format: 'opaque', id: 'bob\ud83d' }],
  ] as const satisfies readonly (readonly [string, HintOver, unknown])[]) {
    it(`${what} is refused`, async () => {
      assertRefused(await sendAs('hinter', hint(subject, over)), 400, 'invalid_request', parameter('login_hint_token'));
    });
  }

  it('of a client without keys is refused', async () => {
    const fields = { login_hint: undefined, ...hint(opaque, { clientId: 'keyless' }) };
    assertRefused(
      await askPerson(server, fields, asDesk('keyless')),
      400,
      'invalid_request',
      parameter('login_hint_token'),
    );
  });
});

describe('FAPI CIBA: a client with the profile fapi2-message-signing', () => {
  it('signs its requests, authenticates with its key for the issuer alone, and gets tokens that are bound to its key', async () => {
    const request = aRequestObject('bank');
    assertRefused(await sendAs('bank', { request }), 401, 'invalid_client');
    const asked = await sendAs('bank', { request }, server.at());
    assert.equal(asked.status, 200, asked.text);
    const visitor = new Visitor(server.base);
    await press(visitor, await theApproval(server, visitor), 'allow');
    const poll = (headers: Record<string, string> = {}) => {
      const assertion = assertionFor(server, KEY, { clientId: 'bank', now: clock.now() });
      return token(server, presenting(assertion, { grant_type: CIBA_GRANT, auth_req_id: asked.json.auth_req_id }), {
        headers,
      });
    };
    assertRefused(await poll(), 400, 'invalid_request');
    const dpop = aProof(KEY, 'POST', `${server.at()}/token`, { now: clock.now() });
    const { json } = await poll({ dpop });
    assert.equal(json.token_type, 'DPoP');
    assert.equal((await userinfo(server, json.access_token)).status, 401, 'not without a proof');
  });

  it('cannot be registered without an algorithm for its requests, with a weak one, or with a secret', async () => {
    const owner = await anOperatorClient(server);
    for (const [change, field] of [
      [{ backchannel_authentication_request_signing_alg: undefined }, 'backchannel_authentication_request_signing_alg'],
      [{ backchannel_authentication_request_signing_alg: 'RS256' }, 'backchannel_authentication_request_signing_alg'],
      [{ token_endpoint_auth_method: 'client_secret_basic', jwks: undefined }, 'token_endpoint_auth_method'],
    ] as const) {
      const fields = {
        client_id: 'weak',
        profile: 'fapi2-message-signing',
        ...BY_KEY,
        ...ALG,
        grant_types: [CIBA_GRANT],
        ...change,
      };
      const { status, text } = await owner.ask('POST', '/applications/shop/clients', fields);
      assert.equal(status, 400, text);
      assert(text.includes(`/${field}`), text);
    }
  });
});
