/**
 * An application that is spread over parts of a Citus cluster (docs/decisions/citus.md): everything of a token family is in the part
 * that its credentials name. Any store issues and finds such credentials; test/citus/spread shows where a cluster has them.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { keyOf, partIn } from '../../../src/platform/crypto/credential.ts';
import { aSigningPair } from '../../build/assertion.ts';
import {
  type Answered,
  aCode,
  aTokenSet,
  basic,
  claimsOf,
  introspect,
  isActive,
  redeem,
  refresh,
  revoke,
  token,
  userinfo,
  WEB,
} from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { aTv, aWaitingDevice, decide, pollFor } from '../../build/device.ts';
import { aProof, thumbprintOf } from '../../build/dpop.ts';
import { aClient, anApplication, aUser, PASSWORD } from '../../build/fixture.ts';
import { suiteServer } from '../../build/test-server.ts';
import { answerIn, signIn } from '../../build/visitor.ts';
import {
  apis,
  as,
  exchange,
  exchanger,
  forOrders,
  MAIL,
  ORDERS,
  policies,
  STOCK,
} from '../../oauth/token-exchange/token-exchange-fixture.ts';

const PARTS = 3;
/** So many that a part without one of them is less likely than one in a million. */
const PEOPLE = ['alice', ...Array.from({ length: 40 }, (_, index) => `user${index}`)];
const KEY = aSigningPair('ES256', 'dpop');
const clock = fixedClock();
const server = suiteServer({
  clock,
  spread: { shop: PARTS },
  users: PEOPLE.map(username => aUser({ username, email: `${username}@shop.example`, phone_number: null })),
  applications: [
    anApplication({
      ...{ apis, token_exchange: policies },
      clients: [
        aClient({
          scope: 'openid profile email phone orders:read',
          grant_types: ['authorization_code', 'refresh_token', 'password', 'implicit'],
          refresh_token_grace: 60,
        }),
        aClient({ client_id: 'jwt', access_token_format: 'jwt' }),
        exchanger('orders-api', [ORDERS]),
        aTv(),
      ],
    }),
    anApplication({ code: 'plain', name: 'Plain' }),
  ],
});

const ok = ({ status, text, json }: Answered) => {
  assert.equal(status, 200, text);
  return json;
};
const partOf = (credential: string) => partIn(keyOf(credential));
const partOfJwt = (jwt: string) => partIn(Buffer.from(claimsOf(jwt).jti, 'base64url'));
const tokensOf = async (username: string) =>
  ok(await token(server, { grant_type: 'password', username, password: PASSWORD }));

describe('the tokens of a spread application', () => {
  it('name a part, which all credentials of a family share', async () => {
    const code = await aCode(server);
    const part = partOf(code);
    assert(part !== undefined && part < PARTS);
    const first = ok(await redeem(server, code));
    const second = ok(await refresh(server, first.refresh_token));
    const repeated = ok(await refresh(server, first.refresh_token));
    assert.equal(repeated.refresh_token, second.refresh_token, 'the successor is found again by its own stamp');
    for (const set of [first, second, repeated]) {
      assert.deepEqual([partOf(set.access_token), partOf(set.refresh_token)], [part, part]);
      assert.equal(await isActive(server, set.access_token), true);
      assert.equal((await userinfo(server, set.access_token)).json.preferred_username, 'alice');
    }
  });

  it('those of one user are in one part, and those of many users in all parts', async () => {
    const parts = new Map<string, number | undefined>();
    for (const username of PEOPLE) {
      const [one, other] = [await tokensOf(username), await tokensOf(username)];
      assert.equal(partOf(one.access_token), partOf(other.access_token));
      parts.set(username, partOf(one.refresh_token));
    }
    assert.deepEqual([...new Set(parts.values())].sort(), [0, 1, 2]);
  });

  it('those of one client, which acts for itself, are in all parts', async () => {
    const parts = new Set<number | undefined>();
    for (let each = 0; each < 60 && parts.size < PARTS; each++) {
      const set = ok(await token(server, { grant_type: 'client_credentials' }, as('orders-api')));
      parts.add(partOf(set.access_token));
      assert.equal((await introspect(server, { token: set.access_token }, as('orders-api'))).json.active, true);
    }
    assert.deepEqual([...parts].sort(), [0, 1, 2]);
  });

  it('a JWT names it by its jti', async () => {
    const jwt = { auth: basic('jwt', 'web-secret-1') };
    const set = ok(await redeem(server, await aCode(server, { client_id: 'jwt' }), {}, jwt));
    assert.equal(partOfJwt(set.access_token), partOf(set.refresh_token));
    assert.equal((await userinfo(server, set.access_token)).status, 200);
  });

  it('one that is exchanged is in the part of its subject token', async () => {
    const subject = await forOrders(server);
    const stock = ok(await exchange(server, subject, { resource: STOCK })).access_token;
    assert.equal(partOf(stock), partOf(subject));
    const mail = ok(await exchange(server, subject, { audience: MAIL })).access_token;
    assert.equal(partOfJwt(mail), partOf(subject));
    await revoke(server, { token: subject });
    assert.equal((await introspect(server, { token: stock }, as('orders-api'))).json.active, false);
  });

  it('one that is bound to a key names the part and the key', async () => {
    const dpop = aProof(KEY, 'POST', `${server.at()}/token`, { now: clock.now() });
    const set = ok(await redeem(server, await aCode(server), {}, { auth: WEB, headers: { dpop } }));
    assert.match(set.access_token, /^gat_[\w-]{53}~[\w-]{43}$/);
    assert.notEqual(partOf(set.access_token), undefined);
    assert.deepEqual((await introspect(server, { token: set.access_token })).json.cnf, { jkt: thumbprintOf(KEY) });
    assert.equal((await userinfo(server, set.access_token)).status, 401, 'without a proof');
  });

  it('come from a device and from the implicit flow too', async () => {
    const { refresh_token } = await tokensOf('alice');
    const device = await aWaitingDevice(server);
    await decide(server, device.user_code, 'allow');
    const ofDevice = ok(await pollFor(server, device));
    const implicit = answerIn(await signIn(server, { response_type: 'id_token token', nonce: 'n', scope: 'openid' }));
    for (const credential of [ofDevice.access_token, ofDevice.refresh_token, implicit.access_token])
      assert.equal(partOf(credential), partOf(refresh_token), 'that of the user');
    assert.equal(await isActive(server, implicit.access_token ?? ''), true);
  });

  it('another part in a credential, or none, finds nothing', async () => {
    const { access_token } = await tokensOf('alice');
    const text = Buffer.from(access_token.slice(4, 14), 'base64url');
    for (const part of [0, 1, 2, 3, 255]) {
      if (part === text[6]) continue;
      const other = Buffer.from(text);
      other[6] = part;
      assert.equal(await isActive(server, `gat_${other.toString('base64url')}${access_token.slice(14)}`), false);
    }
    const without = text.subarray(0, 6).toString('base64url');
    assert.equal(await isActive(server, `gat_${without}${access_token.slice(14)}`), false);
    assert.equal(await isActive(server, access_token), true);
  });

  it('and those of other applications name none', async () => {
    const set = await aTokenSet(server, {}, { auth: WEB }, 'plain');
    assert.deepEqual([partOf(set.access_token), partOf(set.refresh_token)], [undefined, undefined]);
  });

  it('live on when the setting is removed or has another number, and so do those from before it', async () => {
    const spread = server.services.config.spread as Map<string, number>;
    const before = await tokensOf('alice');
    spread.delete('shop');
    const between = await tokensOf('alice');
    const renewed = ok(await refresh(server, before.refresh_token));
    spread.set('shop', 200);
    assert.equal(partOf(between.access_token), undefined);
    assert.equal(partOf(renewed.refresh_token), partOf(before.refresh_token));
    for (const { refresh_token } of [renewed, between]) ok(await refresh(server, refresh_token));
    spread.set('shop', PARTS);
  });
});
