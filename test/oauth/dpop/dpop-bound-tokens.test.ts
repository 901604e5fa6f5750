import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { TOKEN_EXCHANGE } from '../../../src/oauth/token-exchange/rules.ts';
import { aSigningPair, type SigningPair } from '../../build/assertion.ts';
import {
  ALICE,
  type Answered,
  aCode,
  assertRefused,
  aTokenSet,
  basic,
  post,
  redeem,
  refresh,
  send,
  token,
} from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { anAllowedDevice, aTv, pollFor } from '../../build/device.ts';
import { aProof, type ProofParts } from '../../build/dpop.ts';
import { aClient } from '../../build/fixture.ts';
import { anOperatorClient, anOperatorToken, DESK_AUTH } from '../../build/operator.ts';
import { suiteServer } from '../../build/test-server.ts';
import { ACCESS_TOKEN, apis, PLAIN } from '../token-exchange/token-exchange-fixture.ts';

const KEY = aSigningPair('ES256', 'dpop');
const OTHER_KEY = aSigningPair('ES256', 'another');
const SECRET = 'web-secret-1';
const PASSWORD_GRANT = { grant_type: 'password', ...ALICE };
const WITH_EXCHANGE = ['authorization_code', 'refresh_token', 'password', TOKEN_EXCHANGE] as const;

const clock = fixedClock();
/** A token that is bound to the same key: a proof for it is none for another one. */
let another: string;
const server = suiteServer(
  {
    clock,
    shop: {
      apis,
      token_exchange: [{ from: 'web', to: PLAIN }],
      clients: [
        aClient({ grant_types: [...WITH_EXCHANGE] }),
        aClient({ client_id: 'jwt', access_token_format: 'jwt' }),
        aClient({ client_id: 'machine', grant_types: ['client_credentials'], scope: 'orders:read' }),
        aTv(),
      ],
    },
  },
  async () => {
    await anOperatorToken(server, await anOperatorClient(server));
    another = await accessTokenIn(token(server, PASSWORD_GRANT, by('web')));
  },
);

/** A token request with a proof. */
const by = (clientId: string | undefined, app?: string) => ({
  auth: clientId === undefined ? undefined : clientId === 'desk' ? DESK_AUTH : basic(clientId, SECRET),
  headers: { dpop: aProof(KEY, 'POST', `${server.at(app)}/token`, { now: clock.now() }) },
});

async function setIn(answering: Promise<Answered>) {
  const { status, text, json } = await answering;
  assert.equal(status, 200, text);
  assert.equal(json.token_type, 'DPoP');
  return json;
}

async function accessTokenIn(answering: Promise<Answered>): Promise<string> {
  return (await setIn(answering)).access_token;
}

/** Somewhere that takes access tokens. */
interface Place {
  readonly method: 'GET' | 'POST';
  url(): string;
  readonly body?: (held: string) => string;
  /** What it answers where token or proof is not accepted, and `error` is the one of RFC 9449 section 7.1. */
  assertRefusal(answered: Answered, error: string, description: string | undefined, how: string): void;
}

const userinfo = {
  url: () => `${server.at()}/userinfo`,
  assertRefusal: (answered: Answered, error: string, description: string | undefined, how: string) => {
    assertRefused(answered, 401, error, description);
    assertChallenge(answered, new RegExp(`^DPoP realm="shop", error="${error}", .*, algs="[^"]*ES256[^"]*"$`), how);
  },
};

const GET_USERINFO: Place = { ...userinfo, method: 'GET' };
const POST_USERINFO: Place = { ...userinfo, method: 'POST', body: () => '' };
const INTROSPECTION: Place = {
  method: 'POST',
  url: () => `${server.at()}/introspect`,
  body: held => new URLSearchParams({ token: held }).toString(),
  // Which check failed is not told: the endpoint has another way to authenticate, with the credentials of a client.
  assertRefusal: (answered, _error, _description, how) => {
    assertRefused(answered, 401, 'access_denied');
    assertChallenge(answered, /^Basic realm="shop", charset="UTF-8"$/, how);
  },
};
const ADMIN_API: Place = {
  method: 'GET',
  url: () => `${server.base}/api/v1/admin/applications`,
  // As for every credential that gives no access here.
  assertRefusal: (answered, _error, _description, how) => {
    assert.equal(answered.status, 401, `${how}: ${answered.text}`);
    assert.match(answered.json.type, /\/docs\/errors\/invalid_token$/, how);
    assertChallenge(
      answered,
      /^Bearer realm="[^"]+", error="invalid_token", error_description="[^"]+", resource_metadata="[^"]+"$/,
      how,
    );
  },
};

function assertChallenge({ headers }: Answered, expected: RegExp, how: string): void {
  assert.match(headers.get('www-authenticate') ?? '', expected, how);
}

function use(place: Place, held: string, headers: Record<string, string>): Promise<Answered> {
  const { method, body } = place;
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  if (!body) return send(place.url(), { method, headers });
  return send(place.url(), { method, headers: { ...form, ...headers }, body: body(held) });
}

/** Right in all but what the test changes, at this place. */
const proofAt = ({ method, url }: Place, key: SigningPair, accessToken?: string, parts: ProofParts = {}) =>
  aProof(key, method, url(), { now: clock.now(), ...(accessToken === undefined ? {} : { accessToken }), ...parts });

type Attempt = readonly [headers: Record<string, string>, error: string, description?: string];

function attempts(place: Place, held: string): Readonly<Record<string, Attempt>> {
  const right = () => proofAt(place, KEY, held);
  const bearer = (scheme: string): Attempt => [{ authorization: `${scheme} ${held}` }, 'invalid_token'];
  const proved = (dpop: string, part: string): Attempt => [
    { authorization: `DPoP ${held}`, dpop },
    'invalid_dpop_proof',
    `DPoP proof: ${part}`,
  ];
  const otherMethod = place.method === 'GET' ? 'POST' : 'GET';
  return {
    'as a bearer token': bearer('Bearer'),
    'as a bearer token, the scheme in another case': bearer('bEARER'),
    'as a bearer token with the right proof': [{ authorization: `Bearer ${held}`, dpop: right() }, 'invalid_token'],
    'without a proof': [{ authorization: `DPoP ${held}` }, 'invalid_dpop_proof', 'DPoP proof: missing'],
    'with an empty proof': proved('', 'missing'),
    'with two proofs': proved(`${right()}, ${right()}`, 'more than one'),
    'with a proof by another key': [
      { authorization: `DPoP ${held}`, dpop: proofAt(place, OTHER_KEY, held) },
      'invalid_token',
    ],
    'with a proof for no token': proved(proofAt(place, KEY), 'ath'),
    'with a proof for another token': proved(proofAt(place, KEY, another), 'ath'),
    'with a proof for another method': proved(proofAt(place, KEY, held, { claims: { htm: otherMethod } }), 'htm'),
    'with a proof for another place': proved(proofAt(place, KEY, held, { claims: { htu: `${server.at()}/x` } }), 'htu'),
  };
}

/** Every attempt is refused; then the same token with the proof of its key gets what the place answers to it. */
async function assertOnlyWithProof(place: Place, held: string): Promise<Answered> {
  for (const [how, [headers, error, description]] of Object.entries(attempts(place, held))) {
    place.assertRefusal(await use(place, held, headers), error, description, how);
  }
  const headers = { authorization: `DPoP ${held}`, dpop: proofAt(place, KEY, held) };
  const accepted = await use(place, held, headers);
  const replayed = await use(place, held, headers);
  place.assertRefusal(replayed, 'invalid_dpop_proof', 'DPoP proof: jti', 'with a proof that was used');
  return accepted;
}

/** Tokens of users, for this server itself. */
const ofUsers: Readonly<Record<string, () => Promise<string>>> = {
  'the password grant': () => accessTokenIn(token(server, PASSWORD_GRANT, by('web'))),
  'the password grant, as a JWT': () => accessTokenIn(token(server, PASSWORD_GRANT, by('jwt'))),
  'an authorization code': async () => accessTokenIn(redeem(server, await aCode(server), {}, by('web'))),
  'a refresh token': async () => {
    const { refresh_token } = await aTokenSet(server);
    return accessTokenIn(refresh(server, refresh_token, {}, by('web')));
  },
  'a device code': async () => {
    const device = await anAllowedDevice(server);
    return accessTokenIn(pollFor(server, device, {}, by(undefined)));
  },
};

/** Tokens that userinfo has nothing for, whatever comes with them. */
const forApis = {
  'a token exchange': async () => {
    const subject = { subject_token: another, subject_token_type: ACCESS_TOKEN };
    return accessTokenIn(token(server, { grant_type: TOKEN_EXCHANGE, ...subject, resource: PLAIN }, by('web')));
  },
  'client credentials': () => accessTokenIn(token(server, { grant_type: 'client_credentials' }, by('machine'))),
};

describe('property: a bound token is never accepted unbound, at any endpoint that takes access tokens', () => {
  for (const [grant, made] of Object.entries(ofUsers)) {
    it(`userinfo, by GET, POST and in the body; the token of ${grant}`, async () => {
      const held = await made();
      for (const place of [GET_USERINFO, POST_USERINFO]) {
        const { status, json, text } = await assertOnlyWithProof(place, held);
        assert.deepEqual([status, typeof json.sub], [200, 'string'], text);
      }
      for (const headers of [{}, { dpop: proofAt(POST_USERINFO, KEY, held) }]) {
        const answered = await post(userinfo.url(), { access_token: held }, { headers });
        userinfo.assertRefusal(answered, 'invalid_token', undefined, 'in the body');
      }
    });
  }

  for (const [grant, made] of Object.entries({ ...ofUsers, ...forApis })) {
    it(`introspection by the holder; the token of ${grant}`, async () => {
      const { status, json, text } = await assertOnlyWithProof(INTROSPECTION, await made());
      assert.deepEqual([status, json.active, json.token_type], [200, true, 'DPoP'], text);
    });
  }

  it('userinfo has nothing for the token of a token exchange, and says so only to the holder of its key', async () => {
    const held = await forApis['a token exchange']();
    for (const place of [GET_USERINFO, POST_USERINFO])
      assertInsufficient(await assertOnlyWithProof(place, held), 'DPoP');
  });

  it('userinfo has nothing for the token of client credentials, however it comes', async () => {
    const held = await forApis['client credentials']();
    for (const place of [GET_USERINFO, POST_USERINFO]) {
      const right = { authorization: `DPoP ${held}`, dpop: proofAt(place, KEY, held) };
      for (const headers of [right, ...Object.values(attempts(place, held)).map(([each]) => each)]) {
        const isBearer = /^bearer /i.test(headers.authorization ?? '');
        assertInsufficient(await use(place, held, headers), isBearer ? 'Bearer' : 'DPoP');
      }
    }
  });

  const ofOperators: Readonly<Record<string, () => Promise<string>>> = {
    'an authorization code': async () => (await operatorSet()).access_token,
    'a refresh token': async () => {
      const { refresh_token } = await operatorSet();
      return accessTokenIn(refresh(server, refresh_token, {}, by('desk', 'gatehouse'), 'gatehouse'));
    },
  };
  for (const [grant, made] of Object.entries(ofOperators)) {
    it(`the admin API; the token of ${grant}`, async () => {
      const held = await made();
      assert.equal((await assertOnlyWithProof(ADMIN_API, held)).status, 200);
      const limited = { ...ADMIN_API, url: () => `${ADMIN_API.url()}?limit=1` };
      const dpop = proofAt(ADMIN_API, KEY, held);
      const listed = await use(limited, held, { authorization: `DPoP ${held}`, dpop });
      assert.deepEqual([listed.status, listed.json.items.length], [200, 1], 'the query does not count');
      const old = proofAt(ADMIN_API, KEY, held, { now: 0 });
      const demanding = await use(ADMIN_API, held, { authorization: `DPoP ${held}`, dpop: old });
      assert.equal(demanding.status, 401, demanding.text);
      assert.notEqual(demanding.headers.get('dpop-nonce'), null);
      assertChallenge(demanding, /^DPoP .*error="use_dpop_nonce"/, grant);
    });
  }
});

function assertInsufficient(answered: Answered, scheme: string): void {
  assertRefused(answered, 403, 'insufficient_scope');
  assertChallenge(answered, new RegExp(`^${scheme} realm="shop", error="insufficient_scope"`), scheme);
}

async function operatorSet() {
  const fields = { client_id: 'desk', scope: 'openid offline_access admin:read' };
  const code = await aCode(server, fields, { app: 'gatehouse' });
  return setIn(redeem(server, code, {}, by('desk', 'gatehouse'), 'gatehouse'));
}
