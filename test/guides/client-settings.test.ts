import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ALICE, aPkcePair, assertRefused, basic, post } from '../build/client.ts';
import { atConsent, atLogin, logIn, press } from '../build/people.ts';
import { type Seen, Visitor } from '../build/visitor.ts';
import { suiteGuide } from './run-guide.ts';

describe('docs/guides/client-settings.md', () => {
  const guide = suiteGuide('client-settings', { serves: { 'npm start': 3000 }, first: ['All of them in one file'] });

  const issuer = () => guide.place('http://localhost:3000/api/v1/authorize/market/oauth2');
  const token = (fields: Record<string, string>, auth?: string) =>
    post(`${issuer()}/token`, fields, auth === undefined ? {} : { auth });

  async function signIn(client_id: string, redirect_uri: string, challenge?: string): Promise<Seen> {
    const pkce = challenge === undefined ? {} : { code_challenge: challenge, code_challenge_method: 'S256' };
    const query = new URLSearchParams({ response_type: 'code', client_id, redirect_uri, ...pkce });
    const visitor = new Visitor(guide.place('http://localhost:3000'));
    const login = await visitor.follow(`${issuer()}/auth?${query}`);
    if (!atLogin(login)) return login;
    const seen = await logIn(visitor, login);
    return atConsent(seen) ? { ...(await press(visitor, seen, 'allow')), text: 'asked' } : seen;
  }
  const codeOf = ({ location, text }: Seen) => new URL(location ?? assert.fail(text)).searchParams.get('code') ?? '';

  it('has a web application that needs both PKCE and its secret', async () => {
    const redirect_uri = 'https://shop.example/callback';
    assert.match((await signIn('shop-web', redirect_uri)).location ?? '', /error=invalid_request.*code_challenge/);
    const { verifier, challenge } = aPkcePair();
    const code = codeOf(await signIn('shop-web', redirect_uri, challenge));
    const fields = { grant_type: 'authorization_code', code, redirect_uri, code_verifier: verifier };
    assert.notEqual((await token(fields)).status, 200, 'the verifier alone is not enough');
    const answered = await token(fields, basic('shop-web', 'replace-this-secret'));
    assert.deepEqual([answered.status, answered.json.expires_in], [200, 900]);
  });

  for (const [client_id, redirect_uri, isAsked] of [
    ['shop-spa', 'https://app.shop.example/', false],
    ['shop-mobile', 'com.example.shop:/callback', true],
  ] as const) {
    it(`has ${client_id}, which needs PKCE and no secret${isAsked ? ', and asks the user' : ''}`, async () => {
      assert.match((await signIn(client_id, redirect_uri)).location ?? '', /error=invalid_request.*code_challenge/);
      const { verifier, challenge } = aPkcePair();
      const seen = await signIn(client_id, redirect_uri, challenge);
      assert.equal(seen.text === 'asked', isAsked);
      const fields = { grant_type: 'authorization_code', client_id, redirect_uri, code_verifier: verifier };
      const answered = await token({ ...fields, code: codeOf(seen) });
      assert.equal(answered.status, 200, answered.text);
      assert.equal(typeof answered.json.refresh_token, 'string');
    });
  }

  it('has an API that gets no tokens and sees those of the other clients', async () => {
    const api = basic('shop-api', 'replace-this-secret-too');
    assertRefused(await token({ grant_type: 'password', ...ALICE }, api), 400, 'unauthorized_client');
    const till = basic('old-till', 'replace-this-secret-soon');
    const { access_token, scope } = (await token({ grant_type: 'password', ...ALICE }, till)).json;
    assert.equal(scope, 'openid');
    const { active, client_id } = (await post(`${issuer()}/introspect`, { token: access_token }, { auth: api })).json;
    assert.deepEqual([active, client_id], [true, 'old-till']);
  });

  it('has a client of somebody else, which every user is asked for', async () => {
    const { challenge } = aPkcePair();
    assert.equal((await signIn('partner', 'https://partner.example/callback', challenge)).text, 'asked');
  });

  it('has a machine that gets a token in its own name, which the API sees', async () => {
    const job = basic('shop-job', 'replace-this-secret-as-well');
    const { access_token, ...set } = (await token({ grant_type: 'client_credentials' }, job)).json;
    assert.deepEqual(set, { expires_in: 900, token_type: 'Bearer', scope: 'stock:write' });
    const api = { auth: basic('shop-api', 'replace-this-secret-too') };
    const { sub, aud } = (await post(`${issuer()}/introspect`, { token: access_token }, api)).json;
    assert.deepEqual([sub, aud], ['shop-job', 'https://api.shop.example']);
    const web = basic('shop-web', 'replace-this-secret');
    assertRefused(await token({ grant_type: 'client_credentials' }, web), 400, 'unauthorized_client');
  });

  it('has no command that is not run', () => assert.deepEqual(guide.left(), []));
});
