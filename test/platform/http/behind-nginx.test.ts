import assert from 'node:assert/strict';
import { once } from 'node:events';
import https from 'node:https';
import { after, before, describe, it } from 'node:test';
import tls from 'node:tls';
import { freePort } from '../../../scripts/free-port.ts';
import { aCode, aTokenSet, get, introspect, post, redeem, send, token, WEB } from '../../build/client.ts';
import { delivered } from '../../build/delivered.ts';
import { sampleOf } from '../../build/exposition.ts';
import { anApplication } from '../../build/fixture.ts';
import { type Nginx, startNginx } from '../../build/nginx.ts';
import { anOperatorClient, ask } from '../../build/operator.ts';
import { type ServerAddress, startTestServer, type TestServer } from '../../build/test-server.ts';
import { until } from '../../build/until.ts';
import { authorizationUrl, signIn, Visitor } from '../../build/visitor.ts';

const METRICS_TOKEN = 'a-token-for-metrics';

describe('behind nginx as docs/operations.md has it', () => {
  let server: TestServer;
  let nginx: Nginx;
  let door: ServerAddress;
  before(async () => {
    const port = await freePort();
    const base = `https://127.0.0.1:${port}`;
    server = await startTestServer({
      applications: [anApplication()],
      env: { BASE_URL: base, TRUSTED_PROXIES: '127.0.0.1', GATEHOUSE_METRICS_TOKEN: METRICS_TOKEN },
    });
    nginx = await startNginx({ upstream: Number(new URL(server.base).port), port });
    tls.setDefaultCACertificates([nginx.certificate]);
    door = { base, at: (app = 'shop') => `${base}/api/v1/authorize/${app}/oauth2` };
  });
  after(async () => {
    await nginx?.close();
    await server?.close();
  });

  it('a whole sign-in, a code exchange, a refresh and an introspection', async () => {
    const code = await aCode(door);
    const set = await redeem(door, code);
    assert.equal(set.status, 200, set.text);
    const refreshed = await token(door, { grant_type: 'refresh_token', refresh_token: set.json.refresh_token });
    assert.equal(refreshed.status, 200, refreshed.text);
    assert.equal((await introspect(door, { token: refreshed.json.access_token })).json.active, true);
    assert.equal(refreshed.headers.get('strict-transport-security'), 'max-age=31536000; includeSubDomains');
    assert.doesNotMatch(nginx.errorLog(), /\[(error|crit|emerg)\]/);
  });

  it('plain http leads to https', async () => {
    const { status, headers } = await send(`http://127.0.0.1:${nginx.plainPort}/login?a=b`, { redirect: 'manual' });
    assert.deepEqual([status, headers.get('location')], [308, 'https://id.example.com/login?a=b']);
  });

  it('the caller’s address is the one nginx saw, not one the caller wrote (issue 10, C.4)', async () => {
    const options = {
      method: 'POST',
      localAddress: '127.0.0.2',
      ca: nginx.certificate,
      headers: { 'x-forwarded-for': '6.6.6.6', 'content-type': 'application/x-www-form-urlencoded' },
    };
    const [answer] = await once(https.request(`${door.at()}/token`, options).end('a=b'), 'response');
    answer.resume();
    const line = server
      .logged()
      .split('\n')
      .findLast(text => text.includes('request.refused'));
    assert.match(line ?? '', /"address":"127\.0\.0\.2"/);
    assert.doesNotMatch(server.logged(), /6\.6\.6\.6/);
  });

  it('an authorization request of 9 KB passes, and so does the answer that brings it back', async () => {
    const visitor = new Visitor(door.base);
    const state = 's'.repeat(9000);
    const seen = await visitor.follow(authorizationUrl(door, { state }));
    assert.equal(seen.status, 200, seen.text);
    const answer = await signIn(door, { state }, { visitor });
    assert.equal(delivered(answer).fields.state, state);
  });

  it('an apply file of 100 KB passes (docs/admin.md: up to 4 MB)', async () => {
    const { key } = await anOperatorClient(server);
    const users = Array.from({ length: 1500 }, (_, n) => ({ username: `nginx-${n}`, nickname: `Name of number ${n}` }));
    const answered = await ask(door.base, key, 'POST', '/diff', { file: { users } });
    assert.equal(answered.status, 200, answered.text);
    assert.equal(answered.json.changes.length, 1500);
  });

  it('connections to the server are kept and used again', async () => {
    const { access_token } = await aTokenSet(door);
    for (let count = 0; count < 50; count++) await introspect(door, { token: access_token });
    const { text } = await get(`${server.base}/metrics`, { authorization: `Bearer ${METRICS_TOKEN}` });
    assert(sampleOf(text, 'gatehouse_http_connections') < 20, 'every request had a connection of its own');
  });

  it('metrics are not public, and no log has what a query holds', async () => {
    assert.equal((await get(`${door.base}/metrics`, { authorization: `Bearer ${METRICS_TOKEN}` })).status, 404);
    await post(`${door.at()}/introspect?token=not-for-the-log&token_type_hint=access_token`, '', { auth: WEB });
    await until('it is logged', () => nginx.accessLog().includes('/oauth2/introspect'));
    assert.doesNotMatch(nginx.accessLog(), /not-for-the-log/);
  });
});
