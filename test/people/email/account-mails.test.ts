import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LIMITS, type Throttle } from '../../../src/platform/throttle/throttle.ts';
import { startAccountServer } from '../../build/account.ts';
import { anAuthenticator } from '../../build/authenticator.ts';
import { PASSWORD } from '../../build/fixture.ts';
import { press } from '../../build/people.ts';
import { testPart } from '../../build/suite-part.ts';
import { formWith, type Seen, Visitor } from '../../build/visitor.ts';

const { attempts: ALLOWED, refillSeconds } = LIMITS.mailAccount;
const SECURITY = '/account/security';
/** The count of the network address is never reached. */
const fromManyNetworks = (own: Throttle): Throttle => ({
  ...own,
  admit: attempt => (attempt.kind === 'mail' ? { wait: 0, known: false } : own.admit(attempt)),
});

/** Somebody who is signed in, perhaps a thief, floods a mailbox: the owner's, so that the mail that matters is not seen, or another's. */
describe('mails that a signed-in person can cause (row 42, accounts contract, Mail)', () => {
  const server = testPart(() => startAccountServer({ throttle: fromManyNetworks }));
  const person = testPart(() => server.person());

  const askFor = async (email: string, by = person) =>
    by.browser.send(formWith(await by.open('/account/email'), 'email'), { email });
  const addApp = async () => {
    const page = await person.open(`${SECURITY}/totp`);
    const key = /id="totp-key"[^>]*>([^<]*)</.exec(page.text)?.[1] ?? '';
    return person.browser.send(formWith(page, 'code'), { code: anAuthenticator(server.clock, key).code() });
  };
  const removeApp = async () => press(person.browser, await person.open(SECURITY), 'remove_totp');
  const changePassword = async (from: string, to: string) =>
    person.browser.send(formWith(await person.open(`${SECURITY}/password`), 'current_password'), {
      current_password: from,
      password: to,
    });
  const assertLimited = (seen: Seen) => {
    assert.equal(seen.status, 429);
    assert.match(seen.text, /Try again/);
    assert(Number(seen.headers.get('retry-after')) <= refillSeconds);
  };

  it('an address gets 5 that confirm it, from however many sessions of the person', async () => {
    const bob = await server.person({ email_verified: false });
    for (let count = 0; count < 8; count++) {
      const by = new Visitor(server.base);
      await press(by, await bob.open('/account/email', by), 'verify');
    }
    await server.mailsTo(bob.email);
    assert.equal((await server.mailsTo(bob.email)).length, 5, 'also when what the first run made is sent');
  });

  it('a person asks for a limited number of addresses, whatever the network; others are not affected', async () => {
    for (let count = 0; count < ALLOWED; count++) {
      assert.equal((await askFor(`stranger${count}@example.org`)).status, 200, String(count));
    }
    assertLimited(await askFor('one-more@example.org'));
    assert.equal((await askFor('friend@example.org', await server.person())).status, 200);
    server.clock.advance(refillSeconds);
    assert.equal((await askFor('later@example.org')).status, 200);
    assertLimited(await askFor('again@example.org'));
  });

  it('an authenticator app added and removed again and again: adding ends, removing and a new password do not', async () => {
    for (let count = 0; count < ALLOWED; count++) {
      assert.equal((await addApp()).status, 200, String(count));
      assert.equal((await removeApp()).status, 200, String(count));
    }
    assertLimited(await addApp());
    assertLimited(await askFor('new@example.org'));
    assert.match((await changePassword(PASSWORD, 'another good password')).url, /\/account\/security$/);
  });

  it('recovery codes replaced again and again', async () => {
    await addApp();
    for (let count = 1; count < ALLOWED; count++) {
      assert.equal((await press(person.browser, await person.open(SECURITY), 'new_recovery_codes')).status, 200);
    }
    assertLimited(await press(person.browser, await person.open(SECURITY), 'new_recovery_codes'));
    assert.equal((await removeApp()).status, 200);
  });

  it('a password changed again and again: only who knows it uses up its count', async () => {
    let present = PASSWORD;
    for (let count = 0; count < ALLOWED; count++) {
      assert.equal((await changePassword('not the password', 'unused good password')).status, 400);
      const next = `good password number ${count}`;
      assert.match((await changePassword(present, next)).url, /\/account\/security$/, String(count));
      present = next;
    }
    assertLimited(await changePassword(present, 'one more good password'));
  });
});
