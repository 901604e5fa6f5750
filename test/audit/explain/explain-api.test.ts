import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aCode, get, redeem, WEB } from '../../build/client.ts';
import { aClient, anApplication } from '../../build/fixture.ts';
import { anOperatorClient, ask } from '../../build/operator.ts';
import { startTestServer, suiteServer, type TestServer } from '../../build/test-server.ts';
import { authorizationUrl } from '../../build/visitor.ts';

describe('GET /api/v1/admin/refusals/{request_id} (admin contract)', () => {
  const server = suiteServer({
    applications: [
      anApplication(),
      anApplication({ code: 'blog', name: 'Blog', clients: [aClient({ client_id: 'blogger' })] }),
    ],
  });

  const refused = async (app = 'shop', redirect_uri = 'https://client.example/cb/') => {
    const client_id = app === 'shop' ? 'web' : 'blogger';
    const { headers } = await get(authorizationUrl(server, { client_id, redirect_uri }, app));
    return headers.get('x-request-id') ?? '';
  };

  it('an auditor reads the explanation, at once', async () => {
    const id = await refused();
    const { status, json } = await (await anOperatorClient(server, { role: 'auditor' })).ask('GET', `/refusals/${id}`);
    assert.equal(status, 200);
    assert.equal(json.request_id, id);
    assert.match(json.time, /^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    assert.deepEqual(
      [json.application, json.client, json.route, json.method, json.status, json.error, json.reason],
      ['shop', 'web', 'auth', 'GET', 400, 'invalid_request', 'redirectUriUntrusted'],
    );
    assert.deepEqual(json.difference, {
      kinds: ['trailing-slash'],
      text: 'The received one ends with a slash, the registered one does not.',
      expected: 'https://client.example/cb',
      received: 'https://client.example/cb/',
      at: 25,
    });
    assert.deepEqual(json.progress[7], { phase: 'redirect URI compared', state: 'failed' });
    assert.equal(json.parameters.state, '2 characters (not kept)');
  });

  it('the call makes the same request work, and is not offered again', async () => {
    const id = await refused('blog');
    const owner = await anOperatorClient(server);
    const { json } = await owner.ask('GET', `/refusals/${id}`);
    const made = await owner.ask(json.call.method, json.call.path, json.call.body);
    assert.equal(made.status, 200, made.text);
    const fields = { client_id: 'blogger', redirect_uri: 'https://client.example/cb/' };
    const again = await get(authorizationUrl(server, fields, 'blog'));
    assert.equal(again.status, 302);
    const later = await owner.ask('GET', `/refusals/${id}`);
    assert.match(later.json.fix, /registered since/);
    assert.equal(later.json.call, undefined);
  });

  it('attack: a limited auditor asks for a client that another application has, and learns as much as of none', async () => {
    const { server } = await aServerWithTwins();
    const limited = await anOperatorClient(server, { role: 'auditor', applications: ['shop'] });
    const owner = await anOperatorClient(server);
    const explainedFor = async (who: typeof limited, client_id: string) => {
      const { headers } = await get(authorizationUrl(server, { client_id }));
      const { json } = await who.ask('GET', `/refusals/${headers.get('x-request-id')}`);
      const { request_id: _, time: __, ...rest } = json;
      return JSON.parse(JSON.stringify(rest).replaceAll(client_id, 'CLIENT'));
    };
    assert.deepEqual(await explainedFor(limited, 'blogger'), await explainedFor(limited, 'blooper'));
    assert.deepEqual(await explainedFor(limited, 'webb'), await explainedFor(limited, 'weeb'), 'nearly one of its own');
    assert.deepEqual((await explainedFor(owner, 'blogger')).difference.kinds, ['another-application']);
    await server.close();
  });

  it('a scope that looks random may be a secret: neither log nor explanation has it', async () => {
    const secret = 'Zq8vR2mX5tLw9KpA3nYd';
    const { headers } = await get(authorizationUrl(server, { scope: `openid ${secret}` }));
    const owner = await anOperatorClient(server);
    const { text, json } = await owner.ask('GET', `/refusals/${headers.get('x-request-id')}`);
    assert.equal(json.reason, 'scopeInvalid');
    assert.match(json.difference.text, /looks random/);
    assert(!text.includes(secret), text);
    assert(!server.logged().includes(secret));
  });

  it('a limited role sees those of its applications only; everything else is 404', async () => {
    const [own, other] = [await refused('shop'), await refused('blog', 'https://client.example/x')];
    const nowhere = (await get(`${server.base}/nowhere`)).headers.get('x-request-id');
    const limited = await anOperatorClient(server, { role: 'operator', applications: ['shop'] });
    assert.equal((await limited.ask('GET', `/refusals/${own}`)).status, 200);
    for (const id of [other, nowhere, 'unknown', '%00', 'a%2Fb']) {
      assert.equal((await limited.ask('GET', `/refusals/${id}`)).status, 404, `${id}`);
    }
  });

  it('and does not learn the name of another application', async () => {
    const code = await aCode(server, { client_id: 'blogger' }, { app: 'blog' });
    const { headers } = await redeem(server, code, {}, { auth: WEB });
    const path = `/refusals/${headers.get('x-request-id')}`;
    const limited = await (await anOperatorClient(server, { applications: ['shop'] })).ask('GET', path);
    assert.match(limited.json.difference.text, /issued by another application/);
    assert.doesNotMatch(limited.text, /blog/);
    const owner = await (await anOperatorClient(server)).ask('GET', path);
    assert.match(owner.json.difference.text, /issued by the application blog/);
  });

  it('without a key nothing is told', async () => {
    assert.equal((await ask(server.base, undefined, 'GET', `/refusals/${await refused()}`)).status, 401);
  });
});

/** `blogger` and `webb` are clients of the other application alone. */
async function aServerWithTwins(): Promise<{ server: TestServer }> {
  const clients = [aClient({ client_id: 'blogger' }), aClient({ client_id: 'webb' })];
  const applications = [anApplication(), anApplication({ code: 'blog', name: 'Blog', clients })];
  return { server: await startTestServer({ applications }) };
}
