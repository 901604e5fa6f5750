import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { filledForm, inConsole, titleOf } from '../../build/console.ts';
import { CALLBACK } from '../../build/fixture.ts';
import { contentOf } from '../../build/in-console.ts';
import { anOperatorClient } from '../../build/operator.ts';
import { allowed, atLogin, logIn } from '../../build/people.ts';
import { formWith, type Seen } from '../../build/visitor.ts';
import { withStatus } from '../../build/with-status.ts';
import { API, aRegisteredClient, CLIENTS, clock, owner, server, useConsole } from './console-clients-fixture.ts';

useConsole();

describe(`${CLIENTS}/{client_id}/try`, () => {
  const TRY_CALLBACK = '/console/try/callback';
  const started = async (clientId: string, over: object = {}, values: Record<string, string> = {}) => {
    const secret = await aRegisteredClient(clientId, over);
    const { visitor, seen } = await inConsole(server, `${CLIENTS}/${clientId}/try`);
    return { visitor, secret, seen: await visitor.send(filledForm(seen, 'scope'), values) };
  };
  const urisOf = async (clientId: string) => (await owner.ask('GET', `${API}/${clientId}`)).json.redirect_uris;
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
    assert.deepEqual(await urisOf('tried'), [CALLBACK], 'registered for the trial alone');
    const changes = (await owner.ask('GET', '/events?type=client.updated&client=tried')).json.items;
    assert.deepEqual(
      changes.map(({ details }: { details: object }) => details),
      [{ fields: ['redirect_uris'] }, { fields: ['redirect_uris'] }],
    );
  });

  it('a trial that does not come back leaves its redirect URI, which the page offers to remove', async () => {
    const { visitor } = await started('left', {}, { again: 'true' });
    assert.deepEqual(await urisOf('left'), [CALLBACK, `${server.base}${TRY_CALLBACK}`]);
    const page = await visitor.go(`${server.base}${CLIENTS}/left/try`);
    const removed = await visitor.send(formWith(page, 'action" value="unregister'));
    assert.deepEqual(await urisOf('left'), [CALLBACK]);
    assert.doesNotMatch(removed.text, /value="unregister"/);
  });

  it('verifies a JWT access token, and works for a public client', async () => {
    const { visitor, seen } = await started('tried-spa', {
      token_endpoint_auth_method: 'none',
      access_token_format: 'jwt',
    });
    const shown = await withStatus(200, allowed(visitor, seen));
    assert.equal(shown.text.match(/class="pill ok"/g)?.length, 7);
    const raw = shown.text.match(/<pre[^>]*>eyJ[^<]+</g) ?? [];
    assert.equal(raw.length, 1, 'the ID token alone: an API may accept a revoked JWT until it expires');
  });

  it('proves possession of a key for a client whose tokens are bound to one (RFC 9449)', async () => {
    const { seen } = await started('tried-bound', { dpop_bound_access_tokens: true });
    assert.equal(seen.status, 200, seen.text);
    assert.match(seen.text, /&quot;token_type&quot;: &quot;DPoP&quot;/);
    assert.match(seen.text, /&quot;preferred_username&quot;: &quot;alice&quot;/, 'userinfo takes the token');
  });

  it('asks for the secret of a client that requires it, since the server has only its hash', async () => {
    const { visitor, secret, seen } = await started('tried-secret', { require_client_authentication: true });
    const wrong = await withStatus(400, visitor.send(formWith(seen, 'secret'), { secret: 'wrong-secret-12' }));
    assert.match(wrong.text, /id="secret-fault"/);
    const right = await withStatus(200, visitor.send(formWith(wrong, 'secret'), { secret }));
    assert(!right.text.includes(secret));
    assert.match(right.text, /class="pill ok"/);
    const twice = await withStatus(400, visitor.send(formWith(wrong, 'secret'), { secret }));
    assert.match(twice.text, /The code exchange failed/);
  });

  it('asks for the password again on request, and tells an error of the login', async () => {
    const { visitor, seen } = await started('tried-again', {}, { again: 'true' });
    assert(atLogin(seen));
    assert.equal(titleOf(await logIn(visitor, seen)), 'What the client gets');
    const page = await visitor.go(`${server.base}${CLIENTS}/tried-again/try`);
    const refused = await withStatus(400, visitor.send(filledForm(page, 'scope'), { scope: 'openid admin:read' }));
    assert.match(refused.text, /<code>invalid_scope<\/code>/);
    assert.deepEqual(await urisOf('tried-again'), [CALLBACK]);
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
    assert.doesNotMatch(contentOf(seen), /<form/);
    for (const action of ['unregister', 'start']) {
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
    assert.match(seen.text, /no sign-in to try/);
  });
});

describe('/console/applications/{code}/keys', () => {
  const KEYS = '/console/applications/shop/keys';
  const kids = async () =>
    (await owner.ask('GET', '/applications/shop/keys')).json.items as { kid: string; state: string }[];

  it('publishes the next key, and draws both on a time line', async () => {
    const { visitor, seen } = await inConsole(server, KEYS);
    assert.match(seen.text, /<svg /);
    const rotated = await withStatus(200, visitor.send(formWith(seen, 'action" value="rotate')));
    assert.match(rotated.text, /The next key is published/);
    const states = (await kids()).map(({ state }) => state);
    assert(states.includes('next') && states.includes('signing'));
    for (const { kid } of await kids()) assert(rotated.text.includes(`<code>${kid}</code>`), kid);
    assert.match(rotated.text, /class="waiting"/);
  });

  it('deletes a compromised key after the code of its application was typed and a recent authentication', async () => {
    const [key] = await kids();
    assert(key);
    const { visitor, seen } = await inConsole(server, `${KEYS}?compromised=${key.kid}`);
    const wrong = await withStatus(400, visitor.send(formWith(seen, 'confirm'), { confirm: key.kid }));
    assert.match(wrong.text, /That does not match the code of the application\./);
    clock.advance(6 * 60);
    const asked = await visitor.send(formWith(wrong, 'confirm'), { confirm: 'shop' });
    assert(atLogin(asked));
    await withStatus(200, visitor.send(formWith(await logIn(visitor, asked), 'confirm')));
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
      { action: 'compromised', kid: before[0]?.kid ?? '', confirm: 'shop' },
    ]) {
      assert.equal(
        (await visitor.send({ action: `${server.base}${KEYS}`, fields: new URLSearchParams(fields) })).status,
        403,
      );
    }
    assert.deepEqual(await kids(), before);
  });
});
