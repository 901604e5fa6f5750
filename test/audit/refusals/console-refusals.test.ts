import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { basic, get, post } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { aClient, anApplication, aUser } from '../../build/fixture.ts';
import { anOperatorClient, type OperatorClient } from '../../build/operator.ts';
import { atLogin, bob, logIn } from '../../build/people.ts';
import { suiteServer } from '../../build/test-server.ts';
import { authorizationUrl, formWith, type Seen, Visitor } from '../../build/visitor.ts';

describe('/console/refusals', () => {
  let owner: OperatorClient;
  const clock = fixedClock();
  const server = suiteServer({
    applications: [
      anApplication(),
      anApplication({ code: 'blog', name: 'Blog', clients: [aClient({ client_id: 'blogger' })] }),
    ],
    users: [aUser(), bob(), aUser({ username: 'carol', email: 'carol@example.com', phone_number: '+8613800000003' })],
    clock,
  });
  before(async () => {
    owner = await anOperatorClient(server);
    await owner.ask('POST', '/operators', { username: 'alice', role: 'owner' });
    await owner.ask('POST', '/operators', { username: 'bob', role: 'auditor', applications: ['shop'] });
  });

  const at = (path: string) => `${server.base}${path}`;
  const titleOf = ({ text }: Seen) => /<h1>(.*?)<\/h1>/.exec(text)?.[1];
  const inConsole = async (path: string, username = 'alice') => {
    const visitor = new Visitor(server.base);
    const login = await visitor.follow(at(path));
    assert(atLogin(login), login.text);
    return { visitor, seen: await logIn(visitor, login, username) };
  };
  const refused = async (redirect_uri: string, app = 'shop') => {
    const client_id = app === 'shop' ? 'web' : 'blogger';
    const { headers } = await get(authorizationUrl(server, { client_id, redirect_uri, state: 'secret-state-7' }, app));
    return headers.get('x-request-id') ?? '';
  };
  const wrongSecret = async () => {
    const body = { grant_type: 'authorization_code', code: 'x', redirect_uri: 'https://client.example/cb' };
    const { headers } = await post(`${server.at()}/token`, body, { auth: basic('web', 'not-the-secret-9') });
    return headers.get('x-request-id') ?? '';
  };

  it('explains a request: the difference marked, how far it came, its parameters with secrets masked', async () => {
    const id = await refused('https://client.example/cb/');
    const { seen } = await inConsole(`/console/refusals/${id}`);
    assert.equal(seen.status, 200);
    assert.equal(titleOf(seen), 'The redirect URI is not registered');
    assert.match(seen.text, /https:\/\/client\.example\/cb<mark>\/<\/mark>/);
    assert.match(seen.text, /The received one ends with a slash, the registered one does not\./);
    assert.match(seen.text, /RFC 9700 section 4\.1\.3/);
    assert.match(seen.text, /<li class="passed">Client recognised/);
    assert.match(seen.text, /<li class="failed" aria-current="step">Redirect URI compared/);
    assert.match(seen.text, /<li class="unreached">Scope allowed/);
    assert.match(seen.text, /<code>response_type<\/code>/);
    assert(!seen.text.includes('secret-state-7'), 'a value that may be secret is not shown');
    assert.match(seen.text, new RegExp(`data-copy="${id}"`));
  });

  it('speaks Chinese', async () => {
    const id = await refused('https://client.example/cb/');
    const { visitor } = await inConsole('/console/refusals');
    const seen = await visitor.go(at(`/console/refusals/${id}`), { headers: { 'accept-language': 'zh-CN' } });
    assert.equal(titleOf(seen), '重定向地址未登记');
    assert.match(seen.text, /重定向地址比对/);
    assert.match(seen.text, /<dt>规则<\/dt><dd>redirect_uri 与登记的地址逐字符比较。/);
  });

  it('marks as English what the operation says in English', async () => {
    const id = await refused('https://client.example/cb/');
    const { visitor } = await inConsole('/console/refusals');
    const chinese = await visitor.go(at(`/console/refusals/${id}`), { headers: { 'accept-language': 'zh-CN' } });
    const explained = (await owner.ask('GET', `/refusals/${id}`)).json;
    for (const sentence of [explained.difference.text, explained.fix, explained.rule.reference]) {
      const [before = ''] = chinese.text.split(sentence.replaceAll("'", '&#39;').replaceAll('"', '&quot;'));
      assert.match(before.slice(-60), /lang="en">[^/]*$/, sentence);
    }
  });

  it('repairs it by one click, says what that changes, and the same request works', async () => {
    const uri = 'https://client.example/repaired';
    const id = await refused(uri);
    const { visitor, seen } = await inConsole(`/console/refusals/${id}`);
    assert.match(seen.text, /This changes the client web and nothing else/);
    assert.match(seen.text, /<ins><code>https:\/\/client\.example\/repaired<\/code><\/ins>/);
    const done = await visitor.send(formWith(seen, 'call'));
    assert.equal(done.status, 200, done.text);
    assert.match(done.text, /role="status">Done\. The same request works now\./);
    assert(!done.text.includes('name="call"'), 'it is not offered again');
    assert.equal((await get(authorizationUrl(server, { redirect_uri: uri }))).status, 302);
    const { json } = await owner.ask('GET', '/events?type=client.updated');
    assert.equal(json.items[0].actor.kind, 'operator');
  });

  it('does not apply a repair that is not the one the operator saw', async () => {
    const id = await refused('https://client.example/late');
    const { visitor, seen } = await inConsole(`/console/refusals/${id}`);
    const { redirect_uris } = (await owner.ask('GET', '/applications/shop/clients/web')).json;
    const changed = [...redirect_uris, 'https://client.example/meanwhile'];
    await owner.ask('PATCH', '/applications/shop/clients/web', { redirect_uris: changed });
    const refusedFix = await visitor.send(formWith(seen, 'call'));
    assert.equal(refusedFix.status, 400);
    assert.match(refusedFix.text, /Someone has changed this/);
    assert.deepEqual((await owner.ask('GET', '/applications/shop/clients/web')).json.redirect_uris, changed);
    assert.equal((await visitor.send(formWith(refusedFix, 'call'))).status, 200);
    const after = (await owner.ask('GET', '/applications/shop/clients/web')).json.redirect_uris;
    assert.deepEqual(after, [...changed, 'https://client.example/late']);
  });

  it('makes a new secret only after a recent authentication, and shows it once', async () => {
    const id = await wrongSecret();
    const { visitor, seen } = await inConsole(`/console/refusals/${id}`);
    assert(!seen.text.includes('not-the-secret-9'));
    clock.advance(6 * 60);
    const login = await visitor.send(formWith(seen, 'call'));
    assert(atLogin(login), 'an authentication of six minutes ago is too old');
    const waiting = await logIn(visitor, login);
    const made = await visitor.send(formWith(waiting, 'call'));
    assert.equal(made.status, 200);
    const secret = /The new secret[\s\S]*?data-copy="([^"]+)"/.exec(made.text)?.[1] ?? '';
    assert(secret.length > 20, made.text);
    assert.equal(made.headers.get('cache-control'), 'no-store');
    const again = await visitor.go(at(`/console/refusals/${id}`));
    assert(!again.text.includes(secret));
    for (const each of ['web-secret-1', secret]) {
      const answer = await post(`${server.at()}/introspect`, { token: 'x' }, { auth: basic('web', each) });
      assert.equal(answer.status, 200, 'the present secret stays valid for a day');
    }
  });

  it('a role that is too low sees what to do, and cannot do it', async () => {
    const id = await refused('https://client.example/auditor');
    const { visitor, seen } = await inConsole(`/console/refusals/${id}`, 'bob');
    assert.equal(seen.status, 200);
    assert.match(seen.text, /An operator can make this change/);
    assert(!seen.text.includes('name="call"'));
    const owners = await inConsole(`/console/refusals/${id}`);
    const sent = await visitor.send(formWith(owners.seen, 'call'));
    assert.equal(sent.status, 403);
    const { redirect_uris } = (await owner.ask('GET', '/applications/shop/clients/web')).json;
    assert(!redirect_uris.includes('https://client.example/auditor'));
  });

  it('a limited operator sees the refusals of its applications alone', async () => {
    const [own, other] = [await refused('https://a.example/x'), await refused('https://b.example/x', 'blog')];
    const nowhere = (await get(at('/nowhere'))).headers.get('x-request-id') ?? '';
    const { visitor, seen } = await inConsole('/console/refusals', 'bob');
    assert(seen.text.includes(own), seen.text);
    for (const hidden of [other, nowhere, 'blog', 'There is nothing at this address']) {
      assert(!seen.text.includes(hidden), hidden);
    }
    for (const id of [other, nowhere, 'unknown']) {
      assert.equal((await visitor.go(at(`/console/refusals/${id}`))).status, 404, id);
    }
  });

  it('groups by reason and client with counts, and leads to the latest and to each', async () => {
    for (let at = 0; at < 3; at++) await refused('https://group.example/x', 'blog');
    const latest = await refused('https://group.example/x', 'blog');
    const { visitor, seen } = await inConsole('/console/refusals');
    assert.equal(titleOf(seen), 'Refusals');
    const row = seen.text.split('<tr>').find(each => each.includes('blogger')) ?? '';
    assert.match(row, /The redirect URI is not registered/);
    assert.match(row, />[4-9]<\/span>/);
    assert(row.includes(`/console/refusals/${latest}`), row);
    const list = await visitor.go(at('/console/refusals?application=blog&reason=redirectUriUntrusted'));
    assert.equal(titleOf(list), 'Refused: the redirect URI is not registered');
    assert(list.text.includes(latest));
    assert(!list.text.includes('>web<'));
  });

  it('finds a request by its id, and says so when nothing is known of it', async () => {
    const id = await refused('https://client.example/found');
    const { visitor, seen } = await inConsole('/console/refusals');
    const found = await visitor.send(formWith(seen, 'request_id'), { request_id: ` ${id} ` });
    assert.equal(found.url, at(`/console/refusals/${id}`));
    const none = await visitor.send(formWith(seen, 'request_id'), { request_id: '<b>never</b>' });
    assert.equal(none.status, 400);
    assert.match(none.text, /There is no record of this request/);
    assert(none.text.includes('value="&lt;b&gt;never&lt;/b&gt;"'));
  });

  it('an error page leads there by one click; a visitor without a role gets nothing', async () => {
    const visitor = new Visitor(server.base);
    const page = await visitor.go(authorizationUrl(server, { redirect_uri: 'https://elsewhere.example/' }));
    assert.equal(page.status, 400);
    const link = /href="(\/console\/refusals\/[^"]+)"/.exec(page.text)?.[1] ?? '';
    assert.equal(link, `/console/refusals/${page.headers.get('x-request-id')}`);
    const { seen: explained } = await inConsole(link);
    assert.equal(titleOf(explained), 'The redirect URI is not registered');
    const { seen: stranger } = await inConsole(link, 'carol');
    assert.equal(stranger.status, 403);
    assert(!stranger.text.includes('elsewhere.example'));
  });
});

describe('GET /api/v1/admin/refusals and /refusal_groups', () => {
  let owner: OperatorClient;
  const server = suiteServer();
  before(async () => {
    owner = await anOperatorClient(server);
    for (let at = 0; at < 5; at++) await get(authorizationUrl(server, { redirect_uri: `https://x.example/${at}` }));
    await get(authorizationUrl(server, { client_id: 'nobody' }));
    await get(`${server.base}/nowhere`);
  });

  it('pages by cursor, newest first, each request once', async () => {
    const seen: string[] = [];
    let cursor = '';
    do {
      const { status, json } = await owner.ask('GET', `/refusals?limit=2${cursor}`);
      assert.equal(status, 200);
      seen.push(...json.items.map((item: { request_id: string }) => item.request_id));
      cursor = json.next === null ? '' : `&cursor=${json.next}`;
    } while (cursor !== '');
    assert.equal(new Set(seen).size, 7);
    assert.equal(seen.length, 7);
  });

  it('filters by application and reason; an empty application is none', async () => {
    const { json: some } = await owner.ask('GET', '/refusals?application=shop&reason=redirectUriUntrusted');
    assert.equal(some.items.length, 5);
    assert.deepEqual([some.items[0].client, some.items[0].error], ['web', 'invalid_request']);
    const { json: none } = await owner.ask('GET', '/refusals?application=');
    assert.deepEqual(
      none.items.map((item: { reason: string }) => item.reason),
      ['notFound'],
    );
  });

  it('counts by reason, application and client', async () => {
    const { json } = await owner.ask('GET', '/refusal_groups');
    const counts = json.items.map((item: Record<string, unknown>) => [item.reason, item.client, item.count]);
    assert.deepEqual(
      new Set(counts.map(String)),
      new Set(['redirectUriUntrusted,web,5', 'clientUnknown,,1', 'notFound,,1']),
    );
    assert.equal(json.next, null);
  });

  it('is filtered for a limited caller, and a made-up cursor is a fault', async () => {
    const limited = await anOperatorClient(server, { role: 'auditor', applications: ['blog'] });
    for (const path of ['/refusals', '/refusals?application=shop', '/refusals?application=', '/refusal_groups']) {
      assert.deepEqual((await limited.ask('GET', path)).json.items, [], path);
    }
    for (const path of ['/refusals', '/refusal_groups']) {
      assert.equal((await owner.ask('GET', `${path}?cursor=abc`)).status, 400, path);
    }
  });
});
