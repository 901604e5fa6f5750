import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { createMailSender } from '../../../src/notify/mail/job.ts';
import { type FixedClock, fixedClock } from '../../build/clock.ts';
import { delivered } from '../../build/delivered.ts';
import { anApplication, aUser } from '../../build/fixture.ts';
import { mailsIn } from '../../build/mailbox.ts';
import { anOperatorClient, type OperatorClient } from '../../build/operator.ts';
import { startTestServer, type TestServer } from '../../build/test-server.ts';
import { formWith, type Seen, signIn, Visitor } from '../../build/visitor.ts';
import { withStatus } from '../../build/with-status.ts';

const NEW_PASSWORD = 'a new and longer passphrase';
const WEEK = 7 * 86_400;

let server: TestServer;
let clock: FixedClock;
let folder: string;
let owner: OperatorClient;
let email: string;
let count = 0;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-outbox-'));
  clock = fixedClock(Math.floor(Date.now() / 1000));
  server = await startTestServer({
    clock,
    applications: [anApplication(), anApplication({ code: 'bank', name: 'Bank' })],
    users: [aUser()],
    env: { MAIL_URL: `file:${folder}` },
  });
  owner = await anOperatorClient(server);
});
after(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  email = `guest${++count}@example.com`;
  clock.advance(60);
});

const mails = async () => {
  await createMailSender(server.services).run();
  return mailsIn(folder);
};
const mailsTo = async (address: string) => (await mails()).filter(({ headers }) => headers.get('to') === address);
const linkTo = async (address: string) => {
  const links = (await mailsTo(address)).at(-1)?.links ?? [];
  assert.equal(links.length, 1, 'one link');
  return links[0] as string;
};
const invite = async (body: object = {}) => {
  const answered = await withStatus(201, owner.ask('POST', '/invitations', { email, ...body }));
  return answered.json as { readonly sub: string; readonly username: string; readonly email_verified: boolean };
};
const open = (link: string) => new Visitor(server.base).go(link);
const choose = async (link: string, password = NEW_PASSWORD): Promise<Seen> => {
  const visitor = new Visitor(server.base);
  const page = await visitor.go(link);
  return page.status === 200 ? visitor.send(formWith(page, 'password'), { password }) : page;
};
const assertRefused = (seen: Seen) => {
  assert.equal(seen.status, 400, seen.text);
  assert.match(seen.text, /This link no longer works/);
};
const eventsOf = async (subject: string) =>
  (await server.services.store.listEvents({ user: subject }, { after: undefined, limit: 20 })).map(
    ({ type, details }) => [type, details],
  );

describe('inviting a user by mail (POST /invitations)', () => {
  it('makes a user without a password, whose link says welcome and verifies the address', async () => {
    const made = await invite({ name: 'Guest' });
    assert.deepEqual([made.username, made.email_verified], [email, false]);
    const link = await linkTo(email);
    assert.match(link, new RegExp(`^${server.base}/reset-password\\?token=gpr_`));
    const page = await open(link);
    assert.match(page.text, /<h1>Welcome<\/h1>/);
    const done = await choose(link);
    assert.match(done.text, /Your account is ready/);
    const { json } = await owner.ask('GET', `/users/${made.sub}`);
    assert.deepEqual([json.has_password, json.email_verified], [true, true]);
    assert(delivered(await signIn(server, {}, { username: email, password: NEW_PASSWORD })).fields.code);
    assert.deepEqual((await eventsOf(made.sub)).slice(1), [
      ['user.password.changed', { reason: 'invitation' }],
      ['user.created', { invited: true }],
    ]);
    assert.equal((await mailsTo(email)).length, 1, 'no mail warns of the first password');
  });

  it('speaks the language of the profile', async () => {
    await invite({ locale: 'zh_CN' });
    const [mail] = await mailsTo(email);
    assert.match(mail?.subject ?? '', /您在 .* 的账户/);
  });

  it('a repeated Idempotency-Key invites once', async () => {
    const headers = { 'idempotency-key': `invite-${email}` };
    const first = await owner.ask('POST', '/invitations', { email }, headers);
    const second = await owner.ask('POST', '/invitations', { email }, headers);
    assert.deepEqual([first.status, second.status, second.json.sub], [201, 201, first.json.sub]);
    assert.equal((await mailsTo(email)).length, 1);
  });

  it('a known address is a conflict: nothing is made and nothing is sent', async () => {
    await invite();
    const before = (await mails()).length;
    const again = await owner.ask('POST', '/invitations', { email: email.toUpperCase() });
    assert.deepEqual([again.status, /login name of another user/.test(again.json.detail)], [409, true]);
    assert.equal((await mails()).length, before);
  });

  it('needs mail: without MAIL_URL it says what to set', async () => {
    const silent = await startTestServer({ env: { MAIL_URL: 'none' } });
    try {
      const refused = await (await anOperatorClient(silent)).ask('POST', '/invitations', { email });
      assert.deepEqual([refused.status, /Set MAIL_URL/.test(refused.json.detail)], [409, true]);
      assert.equal(await silent.services.store.findAccount(email), undefined);
    } finally {
      await silent.close();
    }
  });

  it('a link that is a week old works no more', async () => {
    await invite();
    const link = await linkTo(email);
    clock.advance(WEEK - 61);
    assert.equal((await open(link)).status, 200);
    clock.advance(61);
    assertRefused(await choose(link));
  });
});

describe('inviting again (POST /users/{sub}/invitation)', () => {
  it('sends a new link, and the older ends', async () => {
    const { sub } = await invite();
    const old = await linkTo(email);
    clock.advance(1);
    assert.equal((await owner.ask('POST', `/users/${sub}/invitation`)).status, 200);
    const link = await linkTo(email);
    assert.notEqual(link, old);
    assertRefused(await choose(old));
    assert.match((await choose(link)).text, /Your account is ready/);
    assert((await eventsOf(sub)).some(([type]) => type === 'user.invited'));
  });

  it('invites a user who was made without a password', async () => {
    const made = await owner.ask('POST', '/users', { username: `plain${count}`, email });
    assert.equal((await owner.ask('POST', `/users/${made.json.sub}/invitation`)).status, 200);
    assert.match((await choose(await linkTo(email))).text, /Your account is ready/);
  });

  it('is a conflict for a user who has a password, is disabled, or has no address', async () => {
    const { sub } = await invite();
    await owner.ask('PATCH', `/users/${sub}`, { disabled: true });
    const disabled = await owner.ask('POST', `/users/${sub}/invitation`);
    const { json } = await owner.ask('GET', '/users?q=alice');
    const known = await owner.ask('POST', `/users/${json.items[0].sub}/invitation`);
    const nameless = await owner.ask('POST', '/users', { username: `mute${count}` });
    const mute = await owner.ask('POST', `/users/${nameless.json.sub}/invitation`);
    assert.deepEqual([disabled.status, known.status, mute.status], [409, 409, 409]);
    assert.equal((await owner.ask('POST', '/users/nobody/invitation')).status, 404);
  });
});

describe('attacks on invitations', () => {
  it('reused: the second use of the link is refused, and changes nothing', async () => {
    await invite();
    const link = await linkTo(email);
    await choose(link);
    assertRefused(await choose(link, 'the passphrase of a thief'));
    assert(delivered(await signIn(server, {}, { username: email, password: NEW_PASSWORD })).fields.code);
  });

  it('raced: of 8 forms one sets the password', async () => {
    const { sub } = await invite();
    const link = await linkTo(email);
    const pages = await Promise.all(Array.from({ length: 8 }, () => open(link)));
    const seen = await Promise.all(
      pages.map((page, each) =>
        new Visitor(server.base).send(formWith(page, 'password'), { password: `${NEW_PASSWORD} ${each}` }),
      ),
    );
    assert.equal(seen.filter(({ text }) => text.includes('Your account is ready')).length, 1);
    assert.equal((await eventsOf(sub)).filter(([type]) => type === 'user.password.changed').length, 1);
  });

  it('after deletion, disabling, another address or another password it is dead', async () => {
    const acts = [
      (sub: string) => owner.ask('DELETE', `/users/${sub}`),
      (sub: string) => owner.ask('PATCH', `/users/${sub}`, { disabled: true }),
      (sub: string) => owner.ask('PATCH', `/users/${sub}`, { email: `other${count}@example.com` }),
      (sub: string) => owner.ask('PUT', `/users/${sub}/password`, { password: NEW_PASSWORD }),
    ];
    for (const [each, act] of acts.entries()) {
      email = `ended${count}-${each}@example.com`;
      const { sub } = await invite();
      const link = await linkTo(email);
      assert((await act(sub)).status < 300);
      assertRefused(await open(link));
      assertRefused(await choose(link));
    }
  });

  it('mail header injection: neither the name nor the address adds a header or a recipient', async () => {
    const refused = [
      'a@example.com\r\nBcc: eve@example.com',
      'a@example.com,eve@example.com',
      'Eve <eve@example.com>',
      'a@example.com;eve',
      '"a"@example.com',
    ];
    for (const bad of refused) {
      const answered = await owner.ask('POST', '/invitations', { email: bad, username: 'injected' });
      assert.equal(answered.status, 400, bad);
    }
    await withStatus(400, owner.ask('POST', '/invitations', { email, name: 'Eve\r\nBcc: eve@example.com' }));
    await invite({ username: 'Eve <script>alert(1)</script> Bcc: eve@example.com' });
    const [mail] = await mailsTo(email);
    assert.equal(mail?.headers.has('bcc'), false);
    assert(!mail?.html.includes('<script>'));
  });

  it('the Host header of the request is in no link', async () => {
    await owner.ask('POST', '/invitations', { email }, { 'x-forwarded-host': 'evil.example' });
    assert((await linkTo(email)).startsWith(`${server.base}/`));
  });

  it('an operator limited to one application, an auditor and an operator over an owner: nobody is invited or reset', async () => {
    const { sub } = await invite();
    const limited = await anOperatorClient(server, { role: 'owner', applications: ['shop'] });
    const auditor = await anOperatorClient(server, { role: 'auditor' });
    const asks = [
      ['POST', '/invitations', { email: 'x@example.com' }],
      ['POST', `/users/${sub}/invitation`, undefined],
      ['DELETE', `/users/${sub}/factors`, undefined],
    ] as const;
    for (const [method, path, body] of asks) {
      assert.equal((await limited.ask(method, path, body)).status, 404, path);
      assert.equal((await auditor.ask(method, path, body)).status, 403, path);
    }
    await owner.ask('POST', '/operators', { username: email, role: 'owner' });
    const operator = await anOperatorClient(server, { role: 'operator' });
    assert.equal((await operator.ask('POST', `/users/${sub}/invitation`)).status, 409);
    assert.equal((await operator.ask('DELETE', `/users/${sub}/factors`)).status, 409);
  });

  it('neither the token nor the mail is logged, stored in the clear or told to the operator', async () => {
    const answered = await owner.ask('POST', '/invitations', { email });
    const token = new URL(await linkTo(email)).searchParams.get('token') ?? '';
    assert.match(token, /^gpr_/);
    const events = JSON.stringify(await server.services.store.listEvents({}, { after: undefined, limit: 50 }));
    for (const text of [answered.text, server.logged(), events]) assert(!text.includes(token));
  });
});

describe('resetting the second factors of a user (DELETE /users/{sub}/factors)', () => {
  it('removes all but the password, tells the user by mail and the audit log', async () => {
    const made = await owner.ask('POST', '/users', {
      username: `phone${count}`,
      email,
      email_verified: true,
      password: NEW_PASSWORD,
      totp_secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
    });
    const { sub } = made.json;
    const kinds = async () =>
      (await owner.ask('GET', `/users/${sub}/factors`)).json.items.map(({ kind }: { kind: string }) => kind).sort();
    assert.deepEqual(await kinds(), ['password', 'totp']);
    assert.equal((await owner.ask('DELETE', `/users/${sub}/factors`)).status, 204);
    assert.deepEqual(await kinds(), ['password']);
    assert.match((await mailsTo(email)).at(-1)?.subject ?? '', /second factors .* were removed/);
    assert.deepEqual((await eventsOf(sub))[0], ['factor.removed', { factor: 'all' }]);
    assert.equal((await owner.ask('DELETE', `/users/${sub}/factors`)).status, 404, 'there is none left');
  });
});
