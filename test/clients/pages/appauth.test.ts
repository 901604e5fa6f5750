import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aPkcePair, claimsOf, get, post } from '../../build/client.ts';
import { atConsent, atLogin, press } from '../../build/people.ts';
import { suitePart } from '../../build/suite-part.ts';
import { query, Visitor } from '../../build/visitor.ts';
import { wander } from '../wander.ts';
import { enterPassword } from './log-in.ts';
import { blocksOf, openPage, readPage } from './page.ts';

/** AppAuth needs a phone. What it sends does not: the same requests, with the values that the code of the page has. */
for (const page of ['appauth-android', 'appauth-ios']) {
  describe(`docs/clients/${page}.md`, () => {
    const setting = suitePart(() => openPage(page));
    const code = blocksOf(readPage(page)).at(-1)?.text ?? '';
    const redirect_uri = /"(com\.example\.shop:\/callback)"/.exec(code)?.[1];
    const client_id = /"(shop-mobile)"/.exec(code)?.[1];

    it('signs alice in with discovery, PKCE and no secret, renews, and signs her out', async () => {
      assert(redirect_uri && client_id && code.includes('/api/v1/authorize/shop/oauth2"'));
      const { server } = setting;
      const { json: discovered } = await get(`${server.at('shop')}/.well-known/openid-configuration`);
      const { verifier, challenge } = aPkcePair();
      const request = {
        ...{
          response_type: 'code',
          client_id,
          redirect_uri,
          scope: 'openid profile email',
          state: 'a-state',
          nonce: 'n',
        },
        ...{ code_challenge: challenge, code_challenge_method: 'S256' },
      };
      const visitor = new Visitor(server.base);
      const question = await enterPassword(visitor, `${discovered.authorization_endpoint}?${query(request)}`);
      assert(atConsent(question), 'another app could have the same scheme');
      const { location = '' } = await wander(visitor, await press(visitor, question, 'allow'));
      const answer = new URL(location);
      assert.equal(`${answer.protocol}${answer.pathname}`, redirect_uri);
      assert.equal(answer.searchParams.get('state'), 'a-state');
      const redeemed = await post(discovered.token_endpoint, {
        ...{ grant_type: 'authorization_code', client_id, redirect_uri, code_verifier: verifier },
        code: answer.searchParams.get('code') ?? '',
      });
      assert.equal(redeemed.status, 200, redeemed.text);
      const { id_token, refresh_token } = redeemed.json;
      assert.deepEqual([claimsOf(id_token).aud, claimsOf(id_token).nonce], [client_id, 'n']);
      const renewed = await post(discovered.token_endpoint, { grant_type: 'refresh_token', client_id, refresh_token });
      assert.equal(renewed.status, 200, renewed.text);
      assert.notEqual(renewed.json.refresh_token, refresh_token);
      const leave = { id_token_hint: id_token, post_logout_redirect_uri: 'com.example.shop:/signed-out', state: 'bye' };
      const left = await wander(visitor, await visitor.go(`${discovered.end_session_endpoint}?${query(leave)}`));
      assert.match(left.location ?? '', /^com\.example\.shop:\/signed-out\?state=bye$/);
      assert(atLogin(await visitor.follow(`${discovered.authorization_endpoint}?${query(request)}`)));
    });
  });
}
