import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { fixedClock } from '../../build/clock.ts';
import { assertPage, assertSentBack, delivered } from '../../build/delivered.ts';
import { anApplication, aUser, PASSWORD } from '../../build/fixture.ts';
import { testPart } from '../../build/suite-part.ts';
import { suiteServer } from '../../build/test-server.ts';
import { threadPoolJobs } from '../../build/thread-pool.ts';
import { authorizationUrl, type Fields, type Form, formWith, type Seen, signIn, Visitor } from '../../build/visitor.ts';

const ALICE = { username: 'alice', password: PASSWORD };
const USERS = [
  aUser(),
  aUser({ username: 'dora', email: 'dora@example.com', phone_number: '+8613800000002', disabled: true }),
];
const clock = fixedClock();
const server = suiteServer({
  clock,
  applications: [anApplication(), anApplication({ code: 'bank', name: 'Bank' })],
  users: USERS,
});
const visitor = testPart(() => new Visitor(server.base));
beforeEach(() => {
  clock.advance(400); // so that no test is throttled by the failures of another
});

const open = (fields: Fields = {}, app?: string) => visitor.follow(authorizationUrl(server, fields, app));
const loginForm = async (fields: Fields = {}) => formWith(await open(fields), 'password');
const withPending = (form: Form, pending: string): Form => ({
  ...form,
  fields: new URLSearchParams({ pending }),
});
const pendingOf = (form: Form) => form.fields.get('pending') ?? '';
const hasSession = () => visitor.cookies.has('gatehouse_session');

describe('the login form (row 25)', () => {
  it('is plain HTML: username, password, method post, hidden inputs, one submit button', async () => {
    const { text } = await open();
    const form = /<form\b[\s\S]*?<\/form>/.exec(text)?.[0] ?? '';
    assert.match(form, /^<form method="post" action="\/login"/);
    const inputs = [...form.matchAll(/<input\b[^>]*>/g)].map(([tag]) => tag);
    const shown = inputs.filter(tag => !tag.includes('type="hidden"'));
    const names = shown.map(tag => / name="(\w+)"/.exec(tag)?.[1]);
    assert.deepEqual(names, ['username', 'password']);
    assert.match(shown[1] ?? '', /type="password"/);
    assert.equal([...form.matchAll(/<button\b/g)].length, 1);
    assert.match(form, /<button type="submit">/);
  });

  for (const username of ['alice', 'Alice', 'alice@example.com', '+8613800000001', '+86 138 0000 0001']) {
    it(`takes the name ${username}`, async () => {
      assert(delivered(await signIn(server, {}, { username, visitor })).fields.code);
    });
  }

  it('keeps the typed name and never the password after a failure', async () => {
    const seen = await visitor.send(await loginForm(), { username: 'al"<b>', password: 'not-this-one' });
    assert(seen.text.includes('value="al&quot;&lt;b&gt;"'));
    assert(!seen.text.includes('not-this-one'));
  });

  it('goes on after a failure, to the client that asked', async () => {
    const failed = await visitor.send(await loginForm({ state: 'kept' }), { ...ALICE, password: 'wrong' });
    assert.equal(failed.status, 400);
    assert.equal(hasSession(), false);
    const seen = await visitor.send(formWith(failed, 'password'), ALICE);
    assert.equal(delivered(seen).fields.state, 'kept');
  });

  for (const [name, values] of Object.entries({
    'no name': { password: PASSWORD },
    'no password': { username: 'alice' },
    'an empty password': { username: 'alice', password: '' },
  })) {
    it(`asks again for ${name}`, async () => {
      const seen = await visitor.send(await loginForm(), values);
      assert.equal(seen.status, 400);
      assert(formWith(seen, 'password'));
      assert.equal(hasSession(), false);
    });
  }

  it('is refused when it is no form', async () => {
    const form = await loginForm();
    const body = JSON.stringify({ ...ALICE, pending: pendingOf(form) });
    const headers = { 'content-type': 'application/json', origin: server.base };
    assertPage(await visitor.go(form.action, { method: 'POST', body, headers }));
  });
});

describe('wrong password, unknown user and disabled user (row 25)', () => {
  const cases = { wrong: 'alice', unknown: 'alicf', disabled: 'dora', nobody: '   ' };

  it('look the same', async () => {
    const form = await loginForm();
    const answers = [];
    for (const [kind, username] of Object.entries(cases)) {
      const password = kind === 'disabled' ? PASSWORD : 'wrong';
      const seen = await visitor.send(form, { username, password });
      assert.equal(seen.status, 400);
      assert.equal(hasSession(), false);
      answers.push(seen.text.replaceAll(username, '…').replaceAll(/ autofocus/g, ''));
    }
    for (const answer of answers) assert.equal(answer, answers[0]);
  });

  it('cost the same work, and so take the same time', async () => {
    const form = await loginForm();
    for (const [kind, username] of Object.entries(cases)) {
      const jobs = await threadPoolJobs(() =>
        visitor.send(form, { username, password: kind === 'disabled' ? PASSWORD : 'wrong' }),
      );
      // The hash outweighs everything else by far.
      assert.equal(jobs.get('ARGON2REQUEST'), 1, kind);
    }
  });
});

describe('cancel (row 24)', () => {
  const cancel = async (fields: Fields) => visitor.send(formWith(await open(fields), 'action'), { action: 'cancel' });

  it('tells the client access_denied, with state', async () => {
    assertSentBack(server, await cancel({ state: 'a b' }), { error: 'access_denied', state: 'a b' });
    assert.equal(hasSession(), false);
  });

  it('goes where the answer would have gone', async () => {
    const implicit = { response_type: 'id_token', nonce: 'n' };
    assertSentBack(server, await cancel(implicit), { error: 'access_denied', place: 'fragment' });
    const form = await cancel({ response_mode: 'form_post' });
    assertSentBack(server, form, { error: 'access_denied', place: 'form_post' });
  });

  it('keeps a session that was there, and cancels only this request', async () => {
    await signIn(server, {}, { visitor });
    assertSentBack(server, await cancel({ prompt: 'login' }), { error: 'access_denied' });
    assert(delivered(await open({ prompt: 'none' })).fields.code);
  });

  it('is refused from another site', async () => {
    const form = formWith(await open(), 'action');
    assertPage(await visitor.send(form, { action: 'cancel' }, { origin: 'https://evil.example' }), 403);
  });
});

describe('a form that was not sent from our page is refused (row 25)', () => {
  const foreign: readonly Record<string, string>[] = [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: 'https://127.0.0.1' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
  ];
  for (const headers of foreign) {
    it(JSON.stringify(headers), async () => {
      const form = await loginForm();
      assertPage(await visitor.send(form, ALICE, headers), 403);
      assert.equal(hasSession(), false);
      assert(delivered(await visitor.send(form, ALICE, { 'sec-fetch-site': 'same-origin' })).fields.code);
    });
  }

  it('the origin with another port is another site', async () => {
    const origin = server.base.replace(/:\d+$/, ':1');
    assertPage(await visitor.send(await loginForm(), ALICE, { origin }), 403);
  });
});

describe('a replayed form is refused (row 25)', () => {
  it('after it had succeeded, in the same browser', async () => {
    const form = await loginForm();
    assert(delivered(await visitor.send(form, ALICE)).fields.code);
    const session = visitor.cookies.get('gatehouse_session');
    assertPage(await visitor.send(form, ALICE));
    assert.equal(visitor.cookies.get('gatehouse_session'), session);
  });

  it('also after the session it opened was replaced', async () => {
    const form = await loginForm();
    await visitor.send(form, ALICE);
    await visitor.send(await loginForm({ prompt: 'login' }), ALICE);
    assertPage(await visitor.send(form, ALICE));
  });

  it('and of two sent at once one succeeds', async () => {
    const form = await loginForm();
    const post = { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' } };
    const body = new URLSearchParams([...form.fields, ...Object.entries(ALICE)]).toString();
    const both = await Promise.all([1, 2, 3, 4].map(() => visitor.go(form.action, { ...post, body })));
    assert.deepEqual(both.map(({ status }) => status).sort(), [303, 400, 400, 400]);
  });
});

describe('the pending request (row 26)', () => {
  const refusedEverywhere = async (form: Form, at: Visitor) => {
    const pending = pendingOf(form);
    assertPage(await at.go(`${server.base}/login?pending=${pending}`));
    assertPage(await at.send(form, ALICE));
    assertPage(await at.send(form, { action: 'cancel' }));
    assertPage(await at.go(`${server.at()}/auth?gatehouse_pending=${pending}`));
  };

  it('tampered with, anywhere: refused', async () => {
    const form = await loginForm();
    const pending = pendingOf(form);
    for (const at of [0, 1, 20, Math.floor(pending.length / 2), pending.length - 3]) {
      const other = pending[at] === 'A' ? 'B' : 'A';
      const tampered = pending.slice(0, at) + other + pending.slice(at + 1);
      await refusedEverywhere(withPending(form, tampered), visitor);
    }
    for (const made of ['', 'x', pending.slice(0, -8), pending.slice(8), `${pending}AAAA`]) {
      await refusedEverywhere(withPending(form, made), visitor);
    }
  });

  it('in another browser: refused, signed in there or not', async () => {
    const form = await loginForm();
    const stranger = new Visitor(server.base);
    await refusedEverywhere(form, stranger);
    assert.equal(stranger.cookies.has('gatehouse_session'), false);
    await signIn(server, {}, { visitor: stranger });
    await refusedEverywhere(form, stranger);
  });

  it('ten minutes old: refused; a second before: not', async () => {
    const form = await loginForm();
    const other = await loginForm();
    clock.advance(599);
    assert(delivered(await visitor.send(form, ALICE)).fields.code);
    clock.advance(1);
    await refusedEverywhere(other, visitor);
  });

  it('of one application: refused at another', async () => {
    const form = await loginForm();
    const resume = `gatehouse_pending=${pendingOf(form)}`;
    assertPage(await visitor.go(`${server.at('bank')}/auth?${resume}`));
    await visitor.send(form, ALICE);
    assertPage(await visitor.go(`${server.at('bank')}/auth?${resume}`));
    const cancelled = await visitor.send(await loginForm({ prompt: 'login' }), { action: 'cancel' });
    assertSentBack(server, cancelled, { error: 'access_denied' });
  });

  it('does not show what it holds', async () => {
    const form = await loginForm({ state: 'tell-nobody' });
    const plain = Buffer.from(pendingOf(form), 'base64url').toString('latin1');
    assert(!plain.includes('tell-nobody') && !plain.includes('client.example'));
  });

  it('does not let the form answer the client itself: the browser goes back to the authorization endpoint', async () => {
    const form = await loginForm();
    const body = new URLSearchParams([...form.fields, ...Object.entries(ALICE)]).toString();
    const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: server.base };
    const seen: Seen = await visitor.go(form.action, { method: 'POST', body, headers });
    assert.equal(seen.status, 303);
    assert(seen.location?.startsWith(`${server.at()}/auth?gatehouse_pending=`));
  });

  it('is nothing a client can bring about: beside other parameters the name means nothing', async () => {
    const seen = await visitor.go(`${authorizationUrl(server)}&gatehouse_pending=x`);
    assert.match(seen.location ?? '', /\/login\?pending=/);
  });
});
