import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { Store } from '../../src/store/store.ts';
import {
  type Answered,
  aCode,
  aPkcePair,
  aTokenSet,
  basic,
  introspect,
  post,
  redeem,
  refresh,
  revoke,
  userinfo,
  WEB,
} from '../build/client.ts';
import { aClient, anApplication, aPublicClient } from '../build/fixture.ts';
import { type House, openHouse } from '../build/house.ts';
import { answerIn, authorizationUrl, Visitor } from '../build/visitor.ts';

const JWT = { auth: basic('jwt', 'web-secret-1') };
const { verifier, challenge } = aPkcePair();

/** What a request costs is what it asks of the store; on PostgreSQL each call is a trip over the network. */
describe('store operations per request, once the caches are warm', () => {
  const calls: string[] = [];
  let house: House;
  let alice: Visitor;
  before(async () => {
    house = await openHouse({
      applications: [
        anApplication({
          clients: [aClient(), aClient({ client_id: 'jwt', access_token_format: 'jwt' }), aPublicClient()],
        }),
      ],
      wrapStore: store => counting(store, calls),
    });
    alice = new Visitor(house.base);
    for (const client_id of ['web', 'jwt']) {
      const set = (
        await redeem(
          house,
          await aCode(house, { client_id }, { visitor: alice }),
          {},
          { auth: basic(client_id, 'web-secret-1') },
        )
      ).json;
      await introspect(house, { token: set.access_token });
    }
    await spa();
  });
  after(() => house.close());
  beforeEach(() => {
    calls.length = 0;
  });

  async function spa() {
    const asked = { client_id: 'spa', redirect_uri: 'https://spa.example/cb' };
    const pkce = { code_challenge: challenge, code_challenge_method: 'S256' };
    const code = await aCode(house, { ...asked, ...pkce }, { visitor: alice });
    calls.length = 0;
    return redeem(house, code, { ...asked, code_verifier: verifier }, {});
  }

  /** Prepares with `make`, then counts what `use` costs. */
  const costs = async <T>(expected: readonly string[], make: () => Promise<T>, use: (made: T) => Promise<Answered>) => {
    const made = await make();
    calls.length = 0;
    const answered = await use(made);
    assert.equal(answered.status, 200, answered.text);
    assert.deepEqual(calls, expected);
  };
  const opaque = () => aTokenSet(house);
  const jwt = () => aTokenSet(house, {}, JWT);

  it('one for introspection of an access token', () =>
    costs(['findAccessToken'], opaque, set => introspect(house, { token: set.access_token })));
  it('one for introspection of an access token that is a JWT', () =>
    costs(['findAccessToken'], jwt, set => introspect(house, { token: set.access_token })));
  it('one for introspection of a refresh token, whatever the hint', () =>
    costs(['findRefreshToken'], opaque, set =>
      introspect(house, { token: set.refresh_token, token_type_hint: 'access_token' }),
    ));
  it('none for introspection of what is no token of ours', () =>
    costs(
      [],
      async () => 'nonsense',
      token => introspect(house, { token }),
    ));
  it('one for userinfo', () => costs(['findTokenUser'], opaque, set => userinfo(house, set.access_token)));
  it('one for userinfo with a JWT', () => costs(['findTokenUser'], jwt, set => userinfo(house, set.access_token)));
  it('one for a code', () =>
    costs(
      ['redeemCode'],
      () => aCode(house, {}, { visitor: alice }),
      code => redeem(house, code),
    ));
  it('one for a code with a verifier alone', async () => {
    const answered = await spa();
    assert.equal(answered.status, 200, answered.text);
    assert.deepEqual(calls, ['redeemCode']);
  });
  it('one for a code from a page of a registered origin', () => {
    const sending = { auth: WEB, headers: { origin: 'https://client.example' } };
    const code = () => aCode(house, {}, { visitor: alice });
    return redeem(house, 'warm', {}, sending).then(() =>
      costs(['redeemCode'], code, presented => redeem(house, presented, {}, sending)),
    );
  });
  it('one for a refresh', () => costs(['rotateRefreshToken'], opaque, set => refresh(house, set.refresh_token)));
  it('one for a refresh that gives a JWT', () =>
    costs(['rotateRefreshToken'], jwt, set => refresh(house, set.refresh_token, {}, JWT)));
  it('one for a revocation', () =>
    costs(['revokeAccessToken'], opaque, set => revoke(house, { token: set.access_token })));
  it('three for the password grant: the stand-in is read for known names too, or the time would tell', () => {
    const body = { grant_type: 'password', username: 'alice', password: 'correct horse battery staple' };
    return costs(
      ['findAccount', 'passwordHashFrom', 'addGrant'],
      async () => body,
      sent => post(`${house.at()}/token`, sent, { auth: WEB }),
    );
  });
  it('none for a refused client', async () => {
    const answered = await introspect(house, { token: 'x' }, { auth: basic('web', 'wrong') });
    assert.equal(answered.status, 401);
    assert.deepEqual(calls, []);
  });
  it('two for an authorization request with a live session', async () => {
    const answer = answerIn(await alice.go(authorizationUrl(house)));
    assert.match(answer.code ?? '', /./);
    assert.deepEqual(calls, ['useSession', 'addCode']);
  });
  it('none for an authorization request without a session, up to and with the login page (row 26)', async () => {
    const page = await new Visitor(house.base).follow(authorizationUrl(house));
    assert.match(page.text, /name="password"/);
    assert.deepEqual(calls, []);
  });
});

function counting(store: Store, calls: string[]): Store {
  return new Proxy(store, {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        calls.push(String(name));
        return Reflect.apply(value, target, args);
      };
    },
  });
}
