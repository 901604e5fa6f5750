import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ALICE, basic, get, post } from '../build/client.ts';
import { until } from '../build/until.ts';
import { suiteGuide } from './run-guide.ts';

describe('docs/guides/api.md', () => {
  const guide = suiteGuide('api', {
    ports: [3000, 4000, 4001],
    serves: { 'npm start': 3000, 'node api.mjs': 4000, 'node api-jwt.mjs': 4001 },
    notRun: { 'npm install express jose': 'both are dependencies, which the runner links' },
    first: ['Register the API'],
  });

  const orders = (port: number, token?: string) =>
    get(
      guide.place(`http://127.0.0.1:${port}/orders`),
      token === undefined ? {} : { authorization: `Bearer ${token}` },
    );
  const issuer = () => guide.place('http://127.0.0.1:3000/api/v1/authorize/shop/oauth2');
  const credentials = { auth: basic('shop-try', 'replace-this-secret-too') };

  async function tokens() {
    return (await post(`${issuer()}/token`, { grant_type: 'password', ...ALICE }, credentials)).json;
  }

  it('takes a live access token by introspection, and refuses it once it is revoked', async () => {
    await guide.section('Introspection');
    const { id_token } = await tokens();
    assert.deepEqual([(await orders(4000)).status, (await orders(4000, id_token)).status], [401, 401]);
  });

  it('takes a JWT access token by its signature, and no ID token', async () => {
    const isJwt = (token: string) => token.split('.').length === 3;
    let blocks = 0;
    // A running server knows the new format within a second.
    await guide.section('JWT', async () => {
      if (++blocks === 1) await until('tokens are JWTs', async () => isJwt((await tokens()).access_token));
    });
    const { access_token, id_token } = await tokens();
    assert.deepEqual([(await orders(4001)).status, (await orders(4001, id_token)).status], [401, 401]);
    assert.equal((await orders(4000, access_token)).status, 200, 'introspection knows it too');
  });

  it('says what each way does with a revoked JWT', async () => {
    const { access_token } = await tokens();
    await post(`${issuer()}/revoke`, { token: access_token }, credentials);
    assert.deepEqual(
      [(await orders(4000, access_token)).status, (await orders(4001, access_token)).status],
      [401, 200],
    );
  });

  it('has scopes and an audience of its own, for users and for a job', async () => {
    let blocks = 0;
    const job = { auth: basic('shop-job', 'replace-this-secret-as-well') };
    const askJob = () => post(`${issuer()}/token`, { grant_type: 'client_credentials' }, job);
    const asUser = { grant_type: 'password', ...ALICE, scope: 'orders:read' };
    // A running server knows the API, and the scope of the client, within a second.
    await guide.section('Scopes and an audience of its own', async () => {
      const hasScope = async () => (await post(`${issuer()}/token`, asUser, credentials)).status === 200;
      if (++blocks === 1) await until('the client has the scope', hasScope);
    });
    const { access_token } = (await askJob()).json;
    const seen = await post(
      `${issuer()}/introspect`,
      { token: access_token },
      { auth: basic('shop-api', 'replace-this-secret') },
    );
    assert.deepEqual([seen.json.active, seen.json.sub], [true, 'shop-job']);
  });

  it('has no command that is not run', () => assert.deepEqual(guide.left(), []));
});
