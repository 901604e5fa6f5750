import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { anyClientSchema } from '../../src/applications/registration.ts';
import { libraries } from '../../src/console/pages/connect-libraries.ts';
import { basic, redeem } from '../build/client.ts';
import { fixedClock } from '../build/clock.ts';
import { filledForm, inConsole, titleOf } from '../build/console.ts';
import { aUser, CALLBACK } from '../build/fixture.ts';
import { anOperatorClient, type OperatorClient } from '../build/operator.ts';
import { allowed, atLogin, bob, logIn } from '../build/people.ts';
import { startTestServer, type TestServer } from '../build/test-server.ts';
import { formWith, type Seen, signIn } from '../build/visitor.ts';
import { blocksOf, pageNames, readPage } from '../clients/pages/page.ts';

let server: TestServer;
let owner: OperatorClient;
const clock = fixedClock();
before(async () => {
  server = await startTestServer({
    users: [
      aUser(),
      bob(),
      bob({ username: 'carol', email: undefined, phone_number: undefined }),
      bob({ username: 'dave', email: undefined, phone_number: undefined }),
    ],
    clock,
  });
  owner = await anOperatorClient(server);
  for (const [username, role] of [
    ['alice', 'owner'],
    ['bob', 'auditor'],
    ['carol', 'operator'],
  ]) {
    assert.equal((await owner.ask('POST', '/operators', { username, role })).status, 201);
  }
});
after(() => server.close());

const CLIENTS = '/console/applications/shop/clients';
const API = '/applications/shop/clients';
const secretIn = ({ text }: Seen) => /class="secret">.*?<code>([^<]+)</.exec(text)?.[1];

async function aRegisteredClient(client_id: string, over: object = {}): Promise<string> {
  const body = { client_id, client_name: `Client ${client_id}`, redirect_uris: [CALLBACK], ...over };
  const made = await owner.ask('POST', API, body);
  assert.equal(made.status, 201, made.text);
  return made.json.client_secret;
}

describe(`${CLIENTS}/new`, () => {
  it('has every field of the contract, each with its meaning', async () => {
    const { seen } = await inConsole(server, `${CLIENTS}/new`);
    for (const name of Object.keys(anyClientSchema.shape)) {
      assert(new RegExp(`name="${name}["\\.]`).test(seen.text), `${name} is in the form`);
      assert(seen.text.includes(`id="${name}-hint"`), `${name} has its meaning`);
    }
  });

  it('registers a client and shows its secret once, in the answer to the form', async () => {
    const { visitor, seen } = await inConsole(server, `${CLIENTS}/new`);
    const values = {
      client_id: 'fresh',
      client_name: 'Fresh',
      redirect_uris: `${CALLBACK}\r\nhttps://fresh.example/b`,
    };
    const made = await visitor.send(filledForm(seen, 'client_id'), values);
    assert.equal(made.status, 201, made.text);
    assert.equal(titleOf(made), 'Fresh is registered');
    const secret = secretIn(made);
    assert(secret);
    const registered = (await owner.ask('GET', `${API}/fresh`)).json;
    assert.deepEqual(registered.redirect_uris, [CALLBACK, 'https://fresh.example/b']);
    assert.deepEqual(registered.grant_types, ['authorization_code', 'refresh_token']);
    assert.equal(registered.scope, 'openid profile email phone');
    const { location } = await signIn(server, { client_id: 'fresh' });
    const code = new URL(location ?? '').searchParams.get('code') ?? '';
    assert.equal((await redeem(server, code, {}, { auth: basic('fresh', secret) })).status, 200);
    for (const tab of ['', '/settings', '/secrets', '/try']) {
      assert(!(await visitor.go(`${server.base}${CLIENTS}/fresh${tab}`)).text.includes(secret), tab);
    }
  });

  it('tells every fault beside its field, and keeps what was typed', async () => {
    const { visitor, seen } = await inConsole(server, `${CLIENTS}/new`);
    const faulty = await visitor.send(filledForm(seen, 'client_id'), {
      client_id: 'has:colon',
      redirect_uris: 'http://shop.example/cb',
      refresh_token_grace: 'long',
      client_secret: 'short',
    });
    assert.equal(faulty.status, 400);
    for (const name of ['client_id', 'redirect_uris', 'refresh_token_grace', 'client_secret']) {
      assert(faulty.text.includes(`id="${name}-fault"`), name);
    }
    assert(faulty.text.includes('>http://shop.example/cb</textarea>'));
    assert(faulty.text.includes('value="long"'));
    assert(!faulty.text.includes('value="short"'), 'a secret is not sent back');
  });

  it('is 404 for an application that is not there, and refuses an auditor', async () => {
    const { visitor, seen } = await inConsole(server, `${CLIENTS}/new`, 'bob');
    assert.equal((await visitor.send(filledForm(seen, 'client_id'), { client_id: 'by-bob' })).status, 403);
    assert.equal((await owner.ask('GET', `${API}/by-bob`)).status, 404);
    assert.equal((await visitor.go(`${server.base}/console/applications/nowhere/clients/new`)).status, 404);
  });
});

describe(`${CLIENTS}/{client_id}: Connect`, () => {
  const unescaped = (text: string) =>
    text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => ENTITIES[name] ?? '');
  const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
  const blocksIn = ({ text }: Seen) =>
    [...text.matchAll(/<pre[^>]*>([^<]*)<\/pre>/g)].map(([, each = '']) => unescaped(each));

  it('offers every page of docs/clients', () => {
    assert.deepEqual(libraries.map(({ page }) => page).sort(), pageNames);
  });

  it('shows the blocks of each page as its tests run them, with the addresses of this server', async () => {
    await aRegisteredClient('shop-web', { redirect_uris: ['http://localhost:4000/callback'] });
    await aRegisteredClient('shop-spa', {
      redirect_uris: ['http://localhost:4000/'],
      token_endpoint_auth_method: 'none',
    });
    const { visitor } = await inConsole(server, `${CLIENTS}/shop-web`);
    const names: Record<string, string> = {
      grafana: 'shop-web',
      kubernetes: 'shop-spa',
      'shop-mcp': 'shop-spa',
      'shop-api': 'shop-web',
    };
    for (const { page, clientId, isPublic } of libraries) {
      const seen = await visitor.go(`${server.base}${CLIENTS}/${isPublic ? 'shop-spa' : 'shop-web'}?library=${page}`);
      const [setting = ''] = readPage(page).split('## What to expect');
      const expected = blocksOf(setting)
        .slice(1)
        .map(({ text }) => text);
      const back = blocksIn(seen).map(text =>
        text.replaceAll(`${server.base}/api/v1/authorize/shop/`, 'ISSUER/').replaceAll(server.base, 'SERVER'),
      );
      assert.deepEqual(
        back,
        expected.map(text =>
          text
            .replaceAll(/(http:\/\/localhost:3000|https:\/\/id.example.com)\/api\/v1\/authorize\/\w+\//g, 'ISSUER/')
            .replaceAll('http://localhost:3000', 'SERVER')
            .replaceAll(
              clientId === 'grafana' || clientId === 'kubernetes'
                ? new RegExp(`(client[_-]id ?= ?)${clientId}`, 'g')
                : clientId,
              (_, before) => `${typeof before === 'string' ? before : ''}${names[clientId] ?? clientId}`,
            ),
        ),
        page,
      );
    }
  });

  it('fills in the issuer, the client_id and the address of this client', async () => {
    await aRegisteredClient('till', { redirect_uris: ['https://till.example/callback'] });
    const { seen } = await inConsole(server, `${CLIENTS}/till?library=openid-client`);
    const [block = ''] = blocksIn(seen);
    assert(block.includes(`new URL('${server.base}/api/v1/authorize/shop/oauth2')`), block);
    assert(block.includes("'till'") && block.includes("const origin = 'https://till.example'"));
    assert.doesNotMatch(block, /shop-web|localhost:[34]000/);
    assert.match(block, /replace-this-secret/);
    assert.doesNotMatch(seen.text, /has not registered/);
  });

  it('adds the redirect URI of a library with one click, for an operator', async () => {
    await aRegisteredClient('proxied', { redirect_uris: ['https://proxied.example/'] });
    const { visitor, seen } = await inConsole(server, `${CLIENTS}/proxied?library=oauth2-proxy`);
    assert.match(
      seen.text,
      /https:\/\/proxied\.example\/oauth2\/callback<\/code>, which the client has not registered/,
    );
    const added = await visitor.send(formWith(seen, 'library'));
    assert.equal(added.status, 200);
    assert.doesNotMatch(added.text, /has not registered/);
    const { redirect_uris } = (await owner.ask('GET', `${API}/proxied`)).json;
    assert.deepEqual(redirect_uris, ['https://proxied.example/', 'https://proxied.example/oauth2/callback']);
    const auditor = await inConsole(server, `${CLIENTS}/proxied?library=next-auth`, 'bob');
    assert.doesNotMatch(auditor.seen.text, /Add this redirect URI/);
    const form = { action: auditor.seen.url, fields: new URLSearchParams({ library: 'next-auth' }) };
    assert.equal((await auditor.visitor.send(form)).status, 403);
  });

  it('attack: puts no client_id into a configuration that could end the string it stands in', async () => {
    await aRegisteredClient("x');evil('");
    const { seen } = await inConsole(server, `${CLIENTS}/${encodeURIComponent("x');evil('")}?library=openid-client`);
    assert(!blocksIn(seen).join().includes('evil'));
    assert.match(seen.text, /needs? quoting/);
  });
});

describe(`${CLIENTS}/{client_id}/settings`, () => {
  it('changes what was changed, and the event names nothing else', async () => {
    await aRegisteredClient('edited', { backchannel_logout_uri: 'https://edited.example/bcl' });
    const { visitor, seen } = await inConsole(server, `${CLIENTS}/edited/settings`);
    const form = filledForm(seen, 'client_name');
    form.fields.delete('grant_types.refresh_token');
    const saved = await visitor.send(form, {
      client_name: 'Edited',
      backchannel_logout_uri: '',
      'scope.address': 'true',
    });
    assert.equal(saved.status, 200, saved.text);
    assert.match(saved.text, /role="status"/);
    const client = (await owner.ask('GET', `${API}/edited`)).json;
    assert.equal(client.client_name, 'Edited');
    assert.deepEqual(client.grant_types, ['authorization_code']);
    assert.equal(client.scope, 'openid profile email phone address');
    assert.equal(client.backchannel_logout_uri, undefined);
    assert.deepEqual(client.redirect_uris, [CALLBACK]);
    const [event] = (await owner.ask('GET', '/events?type=client.updated&client=edited')).json.items;
    assert.deepEqual(event.details.changed.sort(), ['backchannel_logout_uri', 'client_name', 'grant_types', 'scope']);
  });

  it('tells the second of two operators that the first has changed the same client', async () => {
    await aRegisteredClient('twice');
    const { visitor, seen } = await inConsole(server, `${CLIENTS}/twice/settings`);
    await owner.ask('PATCH', `${API}/twice`, { redirect_uris: ['https://twice.example/new'] });
    const second = await visitor.send(filledForm(seen, 'client_name'), { client_name: 'Mine' });
    assert.equal(second.status, 400);
    assert.match(second.text, /Someone has changed this/);
    assert(second.text.includes('value="Mine"'));
    assert.deepEqual((await owner.ask('GET', `${API}/twice`)).json.redirect_uris, ['https://twice.example/new']);
    assert.equal(titleOf(await visitor.send(filledForm(second, 'client_name'))), 'Mine');
    const { redirect_uris } = (await owner.ask('GET', `${API}/twice`)).json;
    assert.deepEqual(redirect_uris, ['https://twice.example/new'], 'the change of the first stays');
  });

  it('tells faults beside their fields', async () => {
    await aRegisteredClient('faulty');
    const { visitor, seen } = await inConsole(server, `${CLIENTS}/faulty/settings`);
    const form = filledForm(seen, 'client_name');
    for (const name of [...form.fields.keys()]) if (name.startsWith('scope.')) form.fields.delete(name);
    const faulty = await visitor.send(form, { refresh_token_grace: '500' });
    assert.equal(faulty.status, 400);
    for (const name of ['scope', 'refresh_token_grace']) assert(faulty.text.includes(`id="${name}-fault"`), name);
  });

  it('deletes only what was named, and only after a recent authentication', async () => {
    await aRegisteredClient('gone');
    const { visitor, seen } = await inConsole(server, `${CLIENTS}/gone/settings`);
    const wrong = await visitor.send(formWith(seen, 'confirm'), { confirm: 'other' });
    assert.equal(wrong.status, 400);
    assert(wrong.text.includes('id="confirm-fault"'));
    clock.advance(6 * 60);
    const asked = await visitor.send(formWith(wrong, 'confirm'), { confirm: 'gone' });
    assert(atLogin(asked));
    const again = await logIn(visitor, asked);
    assert.equal((await owner.ask('GET', `${API}/gone`)).status, 200);
    const done = await visitor.send(formWith(again, 'confirm'));
    assert.equal(done.url, `${server.base}/console/applications/shop?done=deleted`);
    assert.equal((await owner.ask('GET', `${API}/gone`)).status, 404);
  });

  it('shows an auditor the values without a way to change them, and refuses the forms', async () => {
    await aRegisteredClient('watched');
    const { visitor, seen } = await inConsole(server, `${CLIENTS}/watched/settings`, 'bob');
    assert.match(seen.text, /value="Client watched"/);
    assert.doesNotMatch(seen.text, /<button type="submit"/);
    const saved = await visitor.send(filledForm(seen, 'client_name'), { client_name: 'By Bob' });
    assert.equal(saved.status, 403);
    const deleted = await visitor.send(
      { action: seen.url, fields: new URLSearchParams({ action: 'delete' }) },
      { confirm: 'watched' },
    );
    assert.equal(deleted.status, 403);
  });
});

describe(`${CLIENTS}/{client_id}/secrets`, () => {
  const statusWith = async (clientId: string, secret: string) => {
    const { location } = await signIn(server, { client_id: clientId });
    const code = new URL(location ?? '').searchParams.get('code') ?? '';
    return (await redeem(server, code, {}, { auth: basic(clientId, secret) })).status;
  };

  it('makes a new secret, shown once, while the former one stays valid for the time chosen; and ends that one', async () => {
    const first = await aRegisteredClient('rolling');
    const { visitor, seen } = await inConsole(server, `${CLIENTS}/rolling/secrets`);
    const made = await visitor.send(filledForm(seen, 'previous_valid_for'), { previous_valid_for: '3600' });
    assert.equal(made.status, 200, made.text);
    const second = secretIn(made);
    assert(second);
    assert.deepEqual([await statusWith('rolling', first), await statusWith('rolling', second)], [200, 200]);
    const listed = await visitor.go(`${server.base}${CLIENTS}/rolling/secrets`);
    assert(!listed.text.includes(second));
    const id = /\?end=(sec_\w+)/.exec(listed.text)?.[1];
    assert(id);
    const asked = await visitor.go(`${server.base}${CLIENTS}/rolling/secrets?end=${id}`);
    const wrong = await visitor.send(formWith(asked, 'confirm'), { confirm: 'else' });
    assert.equal(wrong.status, 400);
    const ended = await visitor.send(formWith(wrong, 'confirm'), { confirm: 'rolling' });
    assert.equal(ended.status, 200);
    assert(!ended.text.includes(id));
    assert.deepEqual([await statusWith('rolling', first), await statusWith('rolling', second)], [401, 200]);
  });

  it('asks for a recent authentication before it makes a secret, which gives access', async () => {
    await aRegisteredClient('guarded');
    const { visitor, seen } = await inConsole(server, `${CLIENTS}/guarded/secrets`);
    clock.advance(6 * 60);
    assert(atLogin(await visitor.send(filledForm(seen, 'previous_valid_for'))));
  });

  it('tells why no further secret can be made, and that a public client has none', async () => {
    await aRegisteredClient('full');
    for (let count = 0; count < 5; count++) {
      await owner.ask('POST', `${API}/full/secrets`, { previous_valid_for: 3600 });
    }
    const { visitor, seen } = await inConsole(server, `${CLIENTS}/full/secrets`);
    const refused = await visitor.send(filledForm(seen, 'previous_valid_for'), { previous_valid_for: '3600' });
    assert.equal(refused.status, 400);
    assert.match(refused.text, /At most 5 former secrets/);
    await aRegisteredClient('spa', { token_endpoint_auth_method: 'none' });
    const spa = await visitor.go(`${server.base}${CLIENTS}/spa/secrets`);
    assert.match(spa.text, /A public client has no secret/);
    assert.doesNotMatch(spa.text, /name="previous_valid_for"/);
  });

  it('refuses an auditor', async () => {
    await aRegisteredClient('kept');
    const { visitor, seen } = await inConsole(server, `${CLIENTS}/kept/secrets`, 'bob');
    assert.doesNotMatch(seen.text, /name="previous_valid_for"/);
    const form = { action: seen.url, fields: new URLSearchParams({ action: 'create', previous_valid_for: '0' }) };
    assert.equal((await visitor.send(form)).status, 403);
  });
});

describe(`${CLIENTS}/{client_id}/try`, () => {
  const TRY_CALLBACK = '/console/try/callback';
  const started = async (clientId: string, over: object = {}, values: Record<string, string> = {}) => {
    const secret = await aRegisteredClient(clientId, over);
    const { visitor, seen } = await inConsole(server, `${CLIENTS}/${clientId}/try`);
    const ready = await visitor.send(formWith(seen, 'action" value="register'));
    const { redirect_uris } = (await owner.ask('GET', `${API}/${clientId}`)).json;
    assert.deepEqual(redirect_uris, [CALLBACK, `${server.base}${TRY_CALLBACK}`]);
    return { visitor, secret, seen: await visitor.send(filledForm(ready, 'scope'), values) };
  };
  const tokenIn = ({ text }: Seen) => /<pre[^>]*>(gat_[^<]+)</.exec(text)?.[1];
  const userinfoStatus = async (accessToken: string) =>
    (await fetch(`${server.at()}/userinfo`, { headers: { authorization: `Bearer ${accessToken}` } })).status;

  it('signs in with the client and shows its tokens decoded and verified, after they were revoked', async () => {
    const { seen } = await started('tried');
    assert.equal(seen.status, 200, seen.text);
    assert(seen.url.startsWith(`${server.base}${TRY_CALLBACK}?code=`), seen.url);
    assert.equal(seen.text.match(/class="pill ok"/g)?.length, 6, 'signature, iss, aud, nonce, exp and at_hash');
    assert.doesNotMatch(seen.text, /class="pill bad"/);
    assert.match(seen.text, /&quot;aud&quot;: &quot;tried&quot;/);
    assert.match(seen.text, /&quot;preferred_username&quot;: &quot;alice&quot;/);
    assert.doesNotMatch(seen.text, /grt_/, 'no refresh token');
    const accessToken = tokenIn(seen);
    assert(accessToken);
    assert.equal(await userinfoStatus(accessToken), 401);
    const [event] = (await owner.ask('GET', '/events?type=token.revoked&client=tried')).json.items;
    assert.equal(event.actor.kind, 'operator');
  });

  it('verifies a JWT access token, and works for a public client', async () => {
    const { visitor, seen } = await started('tried-spa', {
      token_endpoint_auth_method: 'none',
      access_token_format: 'jwt',
    });
    const shown = await allowed(visitor, seen);
    assert.equal(shown.status, 200, shown.text);
    assert.equal(shown.text.match(/class="pill ok"/g)?.length, 7);
    const raw = shown.text.match(/<pre[^>]*>eyJ[^<]+</g) ?? [];
    assert.equal(raw.length, 1, 'the ID token alone: an API may accept a revoked JWT until it expires');
  });

  it('asks for the secret of a client that requires it, since the server has only its hash', async () => {
    const { visitor, secret, seen } = await started('tried-secret', { require_client_authentication: true });
    const wrong = await visitor.send(formWith(seen, 'secret'), { secret: 'wrong-secret-12' });
    assert.equal(wrong.status, 400);
    assert.match(wrong.text, /id="secret-fault"/);
    const right = await visitor.send(formWith(wrong, 'secret'), { secret });
    assert.equal(right.status, 200, right.text);
    assert(!right.text.includes(secret));
    assert.match(right.text, /class="pill ok"/);
    const twice = await visitor.send(formWith(wrong, 'secret'), { secret });
    assert.equal(twice.status, 400);
    assert.match(twice.text, /The code was not exchanged/);
  });

  it('asks for the password again on request, and tells an error of the login', async () => {
    const { visitor, seen } = await started('tried-again', {}, { again: 'true' });
    assert(atLogin(seen));
    assert.equal(titleOf(await logIn(visitor, seen)), 'What the client gets');
    const page = await visitor.go(`${server.base}${CLIENTS}/tried-again/try`);
    const refused = await visitor.send(filledForm(page, 'scope'), { scope: 'openid admin:read' });
    assert.equal(refused.status, 400);
    assert.match(refused.text, /<code>invalid_scope<\/code>/);
  });

  it('attack: takes no authorization response that this browser did not ask for', async () => {
    const { visitor, seen } = await started('forged', { require_client_authentication: true });
    const { searchParams } = new URL(seen.url);
    const other = await inConsole(server, '/console');
    const response = `${server.base}${TRY_CALLBACK}?${searchParams}`;
    assert.equal((await other.visitor.go(response)).status, 400, 'another browser');
    searchParams.set('state', 'forged');
    assert.equal((await visitor.go(`${server.base}${TRY_CALLBACK}?${searchParams}`)).status, 400, 'another state');
    searchParams.set('iss', 'https://evil.example');
    searchParams.set('state', new URL(response).searchParams.get('state') ?? '');
    assert.equal((await visitor.go(`${server.base}${TRY_CALLBACK}?${searchParams}`)).status, 400, 'another issuer');
    clock.advance(601);
    assert.equal((await visitor.go(response)).status, 400, 'too late');
  });

  it('is not for an auditor, neither at its beginning nor at its end', async () => {
    await aRegisteredClient('untried', { redirect_uris: [`${server.base}${TRY_CALLBACK}`] });
    const { visitor, seen } = await inConsole(server, `${CLIENTS}/untried/try`, 'bob');
    assert.doesNotMatch(seen.text, /<form/);
    for (const action of ['register', 'start']) {
      assert.equal((await visitor.send({ action: seen.url, fields: new URLSearchParams({ action }) })).status, 403);
    }
    assert.equal((await visitor.go(`${server.base}${TRY_CALLBACK}?code=x&state=y`)).status, 403);
    const tried = await started('demoted', { require_client_authentication: true });
    const { sub } = (await owner.ask('GET', '/operators')).json.items.find(
      (each: { username: string }) => each.username === 'alice',
    );
    const again = await anOperatorClient(server);
    assert.equal((await owner.ask('POST', '/operators', { username: 'dave', role: 'owner' })).status, 201);
    assert.equal((await again.ask('PATCH', `/operators/${sub}`, { role: 'auditor' })).status, 200);
    assert.equal((await tried.visitor.send(formWith(tried.seen, 'secret'), { secret: tried.secret })).status, 403);
    assert.equal((await again.ask('PATCH', `/operators/${sub}`, { role: 'owner' })).status, 200);
  });

  it('says what to do where there is no login to try', async () => {
    await aRegisteredClient('password-only', { grant_types: ['password'] });
    const { seen } = await inConsole(server, `${CLIENTS}/password-only/try`);
    assert.match(seen.text, /no login to try/);
  });
});

describe('/console/applications/{code}/keys', () => {
  const KEYS = '/console/applications/shop/keys';
  const kids = async () =>
    (await owner.ask('GET', '/applications/shop/keys')).json.items as { kid: string; state: string }[];

  it('publishes the next key, and draws both on a time line', async () => {
    const { visitor, seen } = await inConsole(server, KEYS);
    assert.match(seen.text, /<svg /);
    const rotated = await visitor.send(formWith(seen, 'action" value="rotate'));
    assert.equal(rotated.status, 200, rotated.text);
    assert.match(rotated.text, /The next key is published/);
    const states = (await kids()).map(({ state }) => state);
    assert(states.includes('next') && states.includes('signing'));
    for (const { kid } of await kids()) assert(rotated.text.includes(`<code>${kid}</code>`), kid);
    assert.match(rotated.text, /class="waiting"/);
  });

  it('deletes a compromised key that was named, after a recent authentication', async () => {
    const [key] = await kids();
    assert(key);
    const { visitor, seen } = await inConsole(server, `${KEYS}?compromised=${key.kid}`);
    const wrong = await visitor.send(formWith(seen, 'confirm'), { confirm: 'other' });
    assert.equal(wrong.status, 400);
    clock.advance(6 * 60);
    const asked = await visitor.send(formWith(wrong, 'confirm'), { confirm: key.kid });
    assert(atLogin(asked));
    const done = await visitor.send(formWith(await logIn(visitor, asked), 'confirm'));
    assert.equal(done.status, 200, done.text);
    const left = await kids();
    assert(!left.some(({ kid }) => kid === key.kid));
    assert(left.some(({ state }) => state === 'signing'));
  });

  it('shows an operator who is no owner the keys, and refuses to rotate or delete', async () => {
    const { visitor, seen } = await inConsole(server, KEYS, 'carol');
    assert.equal(seen.status, 200);
    assert.doesNotMatch(seen.text, /value="rotate"|\?compromised=/);
    const before = await kids();
    for (const fields of [
      { action: 'rotate' },
      { action: 'compromised', kid: before[0]?.kid ?? '', confirm: before[0]?.kid ?? '' },
    ]) {
      assert.equal(
        (await visitor.send({ action: `${server.base}${KEYS}`, fields: new URLSearchParams(fields) })).status,
        403,
      );
    }
    assert.deepEqual(await kids(), before);
  });
});
