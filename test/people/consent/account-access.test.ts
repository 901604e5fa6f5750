import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aTokenSet, basic, isActive, revoke } from '../../build/client.ts';
import { delivered } from '../../build/delivered.ts';
import { aClient, anApplication, aUser } from '../../build/fixture.ts';
import { bob, press, signedIn, tokensFrom, tokensOf } from '../../build/people.ts';
import { suiteServer } from '../../build/test-server.ts';
import { authorizationUrl, formWith, type Seen, type Visitor } from '../../build/visitor.ts';

const server = suiteServer({
  applications: [
    anApplication({
      clients: [aClient(), aClient({ client_id: 'asks', client_name: 'Asker & <Sons>', require_consent: true })],
    }),
  ],
  users: [aUser(), bob(), bob({ username: 'carol', email: 'carol@example.com', phone_number: '+8613800000003' })],
});

const ACCESS = () => `${server.base}/account/access`;
const silently = (visitor: Visitor) => visitor.go(authorizationUrl(server, { prompt: 'none' }));
const rowOf = (page: Seen, name: string) =>
  (page.text.match(/<li>[\s\S]*?<\/li>/g) ?? []).find(text => text.includes(name)) ?? '';

describe('/account/access lists every client that holds a grant, also without a consent', () => {
  it('by a browser session or by the password grant, with all it may see', async () => {
    const visitor = await signedIn(server, 'carol');
    assert.doesNotMatch(
      (await visitor.follow(ACCESS())).text,
      /name="withdraw"/,
      'a code that was not redeemed is none',
    );
    const grants = [
      await tokensOf(server, visitor, { scope: 'openid email' }),
      await aTokenSet(server, { username: 'carol', scope: 'openid phone' }),
    ];
    const page = await visitor.follow(ACCESS());
    assert.match(rowOf(page, 'value="web"'), /e-mail address/);
    assert.match(rowOf(page, 'value="web"'), /phone number/);
    assert.doesNotMatch(rowOf(page, 'value="web"'), /picture/);
    const after = await visitor.send(formWith(page, 'withdraw" value="web'));
    assert.equal(rowOf(after, 'value="web"'), '');
    for (const set of grants) {
      assert.equal(await isActive(server, set.access_token), false);
      assert.equal(await isActive(server, set.refresh_token), false);
    }
    assert(delivered(await silently(visitor)).fields.code, 'the session itself stays');
  });

  it('with what was asked for claim by claim, and once for a client that has both a consent and a grant', async () => {
    const visitor = await signedIn(server, 'carol');
    const claims = JSON.stringify({ userinfo: { email: null } });
    const url = authorizationUrl(server, { client_id: 'asks', scope: 'openid', claims, prompt: 'consent' });
    const sending = { auth: basic('asks', 'web-secret-1') };
    await tokensFrom(server, await press(visitor, await visitor.follow(url), 'allow'), { sending });
    const page = await visitor.follow(ACCESS());
    assert.match(rowOf(page, 'value="asks"'), /e-mail address/);
    assert.equal(page.text.split('value="asks"').length, 2);
  });

  it('since when, and whether the user agreed to it', async () => {
    const visitor = await signedIn(server, 'carol');
    await tokensOf(server, visitor);
    const row = rowOf(await visitor.follow(ACCESS()), 'value="web"');
    assert.match(row, /Since <time datetime="\d{4}-/);
    assert.doesNotMatch(row, /you agreed/);
    assert.match(rowOf(await visitor.follow(ACCESS()), 'value="asks"'), /you agreed to it/);
  });

  it('and withdraws nothing by GET (attack: a link or an image of another site)', async () => {
    const visitor = await signedIn(server, 'carol');
    const set = await tokensOf(server, visitor);
    await visitor.go(`${ACCESS()}?app=shop&withdraw=web`);
    assert.equal(await isActive(server, set.access_token), true);
  });

  it('and withdraws what the user never had to agree to', async () => {
    const visitor = await signedIn(server, 'carol');
    const set = await tokensOf(server, visitor);
    const seen = await visitor.send(formWith(await visitor.follow(ACCESS()), 'withdraw" value="web'));
    assert.equal(seen.url, ACCESS());
    assert.equal(await isActive(server, set.access_token), false);
  });

  it('and no longer when its tokens were revoked', async () => {
    const visitor = await signedIn(server, 'carol');
    const set = await tokensOf(server, visitor);
    assert.notEqual(rowOf(await visitor.follow(ACCESS()), 'value="web"'), '');
    await revoke(server, { token: set.refresh_token });
    assert.equal(rowOf(await visitor.follow(ACCESS()), 'value="web"'), '');
  });
});

describe('/account/access shows and withdraws consent', () => {
  const ASKS = { auth: basic('asks', 'web-secret-1') };
  const consented = async () => {
    const visitor = await signedIn(server);
    const url = authorizationUrl(server, { client_id: 'asks', scope: 'openid email', prompt: 'consent' });
    const seen = await press(visitor, await visitor.follow(url), 'allow');
    return { visitor, set: await tokensFrom(server, seen, { sending: ASKS }) };
  };

  it('by client and by what it may see, escaped', async () => {
    const { visitor } = await consented();
    const text = rowOf(await visitor.follow(ACCESS()), 'value="asks"');
    assert.match(text, /Asker &amp; &lt;Sons&gt;/);
    assert.match(text, /e-mail address/);
    assert.doesNotMatch(text, /phone number/);
  });

  it('and withdrawing ends the tokens of that client, and of no other', async () => {
    const { visitor, set } = await consented();
    const kept = await tokensOf(server, visitor);
    const page = await visitor.follow(ACCESS());
    const after = await visitor.send(formWith(page, 'withdraw" value="asks'));
    assert.equal(after.url, ACCESS());
    assert.doesNotMatch(after.text, /Asker/);
    assert.equal(await isActive(server, set.access_token), false);
    assert.equal(await isActive(server, set.refresh_token, ASKS), false);
    assert.equal(await isActive(server, kept.access_token), true);
    assert(delivered(await silently(visitor)).fields.code, 'the session itself stays');
  });

  it('of another user stays as it is', async () => {
    const { set } = await consented();
    const other = await signedIn(server, 'bob');
    const fields = new URLSearchParams({ app: 'shop', withdraw: 'asks' });
    await other.send({ action: ACCESS(), fields });
    assert.equal(await isActive(server, set.access_token), true);
  });
});
