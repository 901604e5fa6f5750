import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { delivered } from '../../build/delivered.ts';
import { anApplication, aUser } from '../../build/fixture.ts';
import { codeIn, linkIn, MailTown } from '../../build/mail-people.ts';
import { bob } from '../../build/people.ts';
import type { TestServer } from '../../build/test-server.ts';
import { authorizationUrl, formWith, signIn, Visitor } from '../../build/visitor.ts';

/** Of the argument `receivedAt` (store.ts). */
const POSITION: Readonly<Record<string, number>> = {
  ...{ addMail: 2, findEmailConfirmation: 2, emailStateOf: 3, attemptEmailCode: 2, createConfirmedUser: 4 },
  ...{ confirmEmail: 4, findEmailUndo: 2, undoEmailChange: 3, replacePassword: 4 },
};

/** DATABASE_TIMEOUT counts from the arrival of the request. */
describe('the time of arrival', () => {
  const town = new MailTown();
  const seen: [name: string, args: readonly unknown[]][] = [];
  let server: TestServer;
  before(async () => {
    server = await town.start({
      applications: [anApplication({ sign_up: true, require_verified_email: true })],
      users: [aUser({ require_password_change: true }), bob({ email_verified: false })],
      wrapStore: store =>
        new Proxy(store, {
          get(target, name) {
            const value = Reflect.get(target, name);
            if (typeof value !== 'function') return value;
            return (...args: unknown[]) => {
              seen.push([String(name), args]);
              return Reflect.apply(value, target, args);
            };
          },
        }),
    });
    // The address is held for long enough to get the link that undoes its change.
    town.clock.advance(7 * 86_400);
  });
  after(() => town.close());

  it('goes to every store operation of sign-up, verified and changed addresses, and demanded passwords', async () => {
    const startedAt = performance.now();
    await signUp();
    await verify();
    const visitor = new Visitor(server.base);
    const page = await signIn(server, {}, { visitor });
    assert(
      delivered(await visitor.send(formWith(page, 'password'), { password: 'a passphrase that is new' })).fields.code,
    );
    await changeAndUndo(visitor);
    const late = seen.filter(([name, args]) => {
      const at = args[POSITION[name] ?? -1];
      return name in POSITION && !(typeof at === 'number' && at >= startedAt && at <= performance.now());
    });
    assert.deepEqual(
      late.map(([name]) => name),
      [],
    );
    const called = new Set(seen.map(([name]) => name));
    assert.deepEqual(
      Object.keys(POSITION).filter(name => !called.has(name)),
      [],
    );
  });

  async function signUp(): Promise<void> {
    const visitor = new Visitor(server.base);
    const login = await visitor.follow(authorizationUrl(server));
    const [, link = ''] = /<a href="(\/signup[^"]+)">/.exec(login.text) ?? [];
    const form = formWith(await visitor.go(server.base + link), 'email');
    const asked = await visitor.send(form, { email: 'erin@example.com', password: 'a passphrase of erin' });
    await visitor.send(formWith(asked, 'code'), { code: codeIn(await town.newestMail()) });
  }

  async function verify(): Promise<void> {
    await signIn(server, {}, { username: 'bob' });
    const phone = new Visitor(server.base);
    await phone.send(formWith(await phone.go(linkIn(await town.newestMail())), 'token'));
  }

  async function changeAndUndo(visitor: Visitor): Promise<void> {
    const form = formWith(await visitor.follow(`${server.base}/account/email`), 'email');
    const asked = await visitor.send(form, { email: 'new@example.com' });
    await visitor.send(formWith(asked, 'code'), { code: codeIn(await town.newestMail()) });
    const links = (await town.sendMails()).flatMap(mail => mail.links);
    const undo = links.find(link => link.includes('/undo-email')) ?? '';
    await visitor.send(formWith(await visitor.go(undo), 'token'));
  }
});
