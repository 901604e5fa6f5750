import assert from 'node:assert/strict';
import { after, beforeEach, describe, it } from 'node:test';
import { newOwnerLink } from '../../../src/operators/first-owner/owner-link.ts';
import { type FixedClock, fixedClock } from '../../build/clock.ts';
import { aUser } from '../../build/fixture.ts';
import { anOperatorClient } from '../../build/operator.ts';
import { atLogin, bob, signedIn } from '../../build/people.ts';
import { startTestServer, type TestServer } from '../../build/test-server.ts';
import { signIn, Visitor } from '../../build/visitor.ts';

/** admin.md, "Who may call": the first owner through a one-time link, valid for an hour. */
describe('the link for the first owner', () => {
  let server: TestServer;
  let clock: FixedClock;
  const servers: TestServer[] = [];
  beforeEach(async () => {
    clock = fixedClock();
    server = await startTestServer({ users: [aUser(), bob()], clock });
    servers.push(server);
  });
  after(() => Promise.all(servers.map(each => each.close())));

  const owners = async () => {
    const found = await server.services.store.listOperators({ after: undefined, limit: 10 });
    return found.filter(({ role }) => role === 'owner').map(({ username }) => username);
  };
  const submit = (visitor: Visitor, link: string, fields: Record<string, string>) =>
    visitor.go(link, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(fields).toString(),
    });

  it('offers a user who is signed in to become the owner; the console opens', async () => {
    const visitor = await signedIn(server);
    const link = await newOwnerLink(server.services);
    const seen = await visitor.go(link);
    assert.equal(seen.status, 200);
    assert.match(seen.text, /alice/);
    assert.deepEqual(await owners(), []);
    const done = await submit(visitor, link, { action: 'become' });
    assert.deepEqual([done.status, done.location], [303, `${server.base}/console`]);
    assert.deepEqual(await owners(), ['alice']);
    assert.equal((await visitor.go(`${server.base}/console`)).status, 200);
  });

  it('lets a visitor sign in first, and leads back', async () => {
    const visitor = new Visitor(server.base);
    const link = await newOwnerLink(server.services);
    assert.match((await visitor.go(link)).text, /name="action" value="sign-in"/);
    const login = await submit(visitor, link, { action: 'sign-in' });
    assert.match(login.location ?? '', /\/login\?pending=/);
    assert(atLogin(await visitor.follow(login.location ?? '')));
  });

  it('makes a new user the owner where there is none yet, and opens the session at once', async () => {
    const visitor = new Visitor(server.base);
    const link = await newOwnerLink(server.services);
    const fields = { action: 'create', username: 'carol', email: 'carol@example.com', password: 'a long passphrase 1' };
    const done = await submit(visitor, link, fields);
    assert.deepEqual([done.status, done.location], [303, `${server.base}/console`]);
    assert.deepEqual(await owners(), ['carol']);
    const opened = await visitor.go(`${server.base}/console`);
    assert.match(opened.text, /<h1>Overview<\/h1>/);
    const { email, emailVerified } = (await server.services.store.findAccount('carol')) ?? {};
    assert.deepEqual([email, emailVerified], ['carol@example.com', false]);
    const events = await (await anOperatorClient(server)).ask('GET', '/events?type=user.login.succeeded');
    assert.equal(events.json.items.length, 1);
  });

  it('asks the new owner for a second factor where operators need one', async () => {
    const strict = await startTestServer({ env: { GATEHOUSE_OPERATOR_MFA: 'required' } });
    servers.push(strict);
    const visitor = new Visitor(strict.base);
    const fields = { action: 'create', username: 'carol', password: 'a long passphrase 1' };
    await submit(visitor, await newOwnerLink(strict.services), fields);
    const seen = await visitor.follow(`${strict.base}/console`);
    assert.match(seen.text, /Set up an authenticator app/);
  });

  it('the user who is made signs in with the password in another browser', async () => {
    const link = await newOwnerLink(server.services);
    const fields = { action: 'create', username: 'carol', password: 'a long passphrase 1' };
    await submit(new Visitor(server.base), link, fields);
    const visitor = new Visitor(server.base);
    await signIn(server, {}, { visitor, username: 'carol', password: fields.password });
    assert.equal((await visitor.go(`${server.base}/console`)).status, 200);
  });

  it('shows what is wrong with a new user, and keeps what was typed but the password', async () => {
    const link = await newOwnerLink(server.services);
    const short = await submit(new Visitor(server.base), link, { action: 'create', username: 'dave', password: '' });
    assert.equal(short.status, 400);
    assert.match(short.text, /value="dave"/);
    assert.match(short.text, /Choose a password\./);
    const common = { action: 'create', username: 'dave', email: 'no address', password: 'short' };
    const wrong = await submit(new Visitor(server.base), link, common);
    assert.match(wrong.text, /Enter an e-mail address such as you@example\.com, or none\./);
    assert.match(wrong.text, /value="no address"/);
    const taken = await submit(new Visitor(server.base), link, {
      action: 'create',
      username: 'alice',
      password: 'secret secret 1',
    });
    assert.equal(taken.status, 400);
    assert.match(taken.text, /Another user has this name or e-mail address\. Choose a different one/);
    assert(!taken.text.includes('secret secret 1'));
    assert.deepEqual(await owners(), []);
  });

  it('works once: of two users who use it at the same time one becomes the owner', async () => {
    const link = await newOwnerLink(server.services);
    const visitors = await Promise.all([signedIn(server), signedIn(server, 'bob')]);
    const answers = await Promise.all(visitors.map(visitor => submit(visitor, link, { action: 'become' })));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [303, 403]);
    assert.equal((await owners()).length, 1);
    for (const visitor of visitors) assert.equal((await visitor.go(link)).status, 403);
  });

  it('is refused when an owner exists, however it was made', async () => {
    const link = await newOwnerLink(server.services);
    const visitor = await signedIn(server, 'bob');
    await (await anOperatorClient(server)).ask('POST', '/operators', { username: 'alice', role: 'owner' });
    assert.equal((await submit(visitor, link, { action: 'become' })).status, 403);
    assert.equal(
      (await submit(visitor, link, { action: 'create', username: 'eve', password: 'a long passphrase 1' })).status,
      403,
    );
    assert.deepEqual(await owners(), ['alice']);
    assert.equal(await server.services.store.findAccount('eve'), undefined);
  });

  it('is void when a server starts again and makes another (row 67)', async () => {
    const visitor = await signedIn(server);
    const former = await newOwnerLink(server.services);
    const newest = await newOwnerLink(server.services);
    assert.equal((await visitor.go(former)).status, 403);
    assert.equal((await submit(visitor, former, { action: 'become' })).status, 403);
    assert.equal((await visitor.go(newest)).status, 200);
  });

  it('is refused after an hour', async () => {
    const visitor = await signedIn(server);
    const link = await newOwnerLink(server.services);
    clock.advance(3599);
    assert.equal((await visitor.go(link)).status, 200);
    clock.advance(1);
    const late = await visitor.go(link);
    assert.equal(late.status, 403);
    assert.match(late.text, /one hour/);
    assert.equal((await submit(visitor, link, { action: 'become' })).status, 403);
  });

  for (const token of ['', '?token=', '?token=AAAA', `?token=${'A'.repeat(70)}`]) {
    it(`is refused without its token: ${token.slice(0, 20)}`, async () => {
      const visitor = await signedIn(server);
      assert.equal((await visitor.go(`${server.base}/first-owner${token}`)).status, 403);
      assert.equal((await submit(visitor, `${server.base}/first-owner${token}`, { action: 'become' })).status, 403);
      assert.deepEqual(await owners(), []);
    });
  }

  for (const fields of [{}, { action: '' }, { action: 'other' }] as Record<string, string>[]) {
    it(`makes nobody the owner by a form that does not say so: ${JSON.stringify(fields)}`, async () => {
      const answer = await submit(await signedIn(server), await newOwnerLink(server.services), fields);
      assert.equal(answer.status, 200);
      assert.deepEqual(await owners(), []);
    });
  }

  it('cannot be used by another site', async () => {
    const visitor = await signedIn(server);
    const link = await newOwnerLink(server.services);
    const answer = await visitor.go(link, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'cross-site' },
      body: 'action=become',
    });
    assert.equal(answer.status, 403);
    assert.deepEqual(await owners(), []);
  });

  it('writes who became the owner into the audit log, and the token nowhere', async () => {
    const visitor = await signedIn(server);
    const link = await newOwnerLink(server.services);
    await submit(visitor, link, { action: 'become' });
    const events = await (await anOperatorClient(server)).ask('GET', '/events?type=operator.added');
    const [{ actor, subject, details }] = events.json.items;
    assert.deepEqual([actor, details], [{ kind: 'user', id: subject }, { role: 'owner' }]);
    assert(!JSON.stringify(events.json).includes(new URL(link).searchParams.get('token') ?? ''));
  });
});
