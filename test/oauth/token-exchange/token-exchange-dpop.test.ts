import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { TOKEN_EXCHANGE } from '../../../src/oauth/token-exchange/rules.ts';
import { aSigningPair } from '../../build/assertion.ts';
import { ALICE, assertRefused, get, introspect, parameter, token } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { aProof, thumbprintOf } from '../../build/dpop.ts';
import { suiteServer } from '../../build/test-server.ts';
import { ACCESS_TOKEN, apis, aShop, as, exchange, forOrders, JWT, PLAIN, STOCK } from './token-exchange-fixture.ts';

const KEY = aSigningPair('ES256', 'dpop');
const OTHER = aSigningPair('ES256', 'another');
const clock = fixedClock();
const boundApis = apis.map(api => (api.identifier === STOCK ? { ...api, require_dpop: true } : api));
const demanding = aShop({ code: 'bank', name: 'Bank', userinfo_acr_values: ['2'] });
const server = suiteServer({ clock, applications: [aShop({ apis: boundApis }), demanding] });

const proved = (clientId: string, pair = KEY, app?: string) => {
  const dpop = aProof(pair, 'POST', `${server.at(app)}/token`, { now: clock.now() });
  return { ...as(clientId), headers: { dpop } };
};
const bound = async (over = {}, app?: string) => {
  const fields = { grant_type: 'password', ...ALICE, scope: 'openid', ...over };
  return (await token(server, fields, proved('web', KEY, app), app)).json.access_token as string;
};
const sent = (subject_token: string, over = {}) => ({
  ...{ grant_type: TOKEN_EXCHANGE, subject_token, subject_token_type: ACCESS_TOKEN, resource: PLAIN },
  ...over,
});

describe('token exchange and bound tokens (RFC 8693, RFC 9449)', () => {
  it('a bound token is never exchanged for a bearer token, and never with the proof of another key', async () => {
    const subject = await bound();
    for (const sending of [as('web'), proved('web', OTHER)]) {
      assertRefused(await token(server, sent(subject), sending), 400, 'invalid_request', parameter('subject_token'));
    }
  });

  it('with a proof by its key, the new token is bound to it too', async () => {
    const { status, json } = await token(server, sent(await bound()), proved('web'));
    assert.equal(status, 200, JSON.stringify(json));
    assert.equal(json.token_type, 'DPoP');
    const seen = (await introspect(server, { token: json.access_token }, as('web'))).json;
    assert.deepEqual([seen.active, seen.aud, seen.cnf], [true, PLAIN, { jkt: thumbprintOf(KEY) }]);
  });

  it('the API that received a bound token cannot exchange it: it does not have the key', async () => {
    const subject = await bound({ scope: 'orders:read' });
    for (const sending of [as('orders-api'), proved('orders-api', OTHER)]) {
      const over = { resource: 'urn:shop:mail' };
      assertRefused(
        await token(server, sent(subject, over), sending),
        400,
        'invalid_request',
        parameter('subject_token'),
      );
    }
  });

  it('an API with require_dpop gets a bound token, to the key of the exchanging client', async () => {
    const subject = await forOrders(server);
    assertRefused(await exchange(server, subject, { resource: STOCK }), 400, 'invalid_dpop_proof');
    const over = { resource: STOCK, requested_token_type: JWT };
    const { json } = await token(server, sent(subject, over), proved('orders-api', OTHER));
    const seen = (await introspect(server, { token: json.access_token }, as('stock-api'))).json;
    assert.deepEqual([seen.scope, seen.cnf], ['stock:read', { jkt: thumbprintOf(OTHER) }]);
  });
});

describe('step-up of a bound token (RFC 9470 section 3, RFC 9449 section 7.1)', () => {
  it('the challenge comes under the scheme of the token, and names what is demanded', async () => {
    const accessToken = await bound({}, 'bank');
    const url = `${server.at('bank')}/userinfo`;
    const dpop = aProof(KEY, 'GET', url, { now: clock.now(), accessToken });
    const refused = await get(url, { authorization: `DPoP ${accessToken}`, dpop });
    assertRefused(refused, 401, 'insufficient_user_authentication');
    const challenge = refused.headers.get('www-authenticate') ?? '';
    assert.match(challenge, /^DPoP realm="[^"]*", error="insufficient_user_authentication", .*acr_values="2", algs="/);
  });
});
