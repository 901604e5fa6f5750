import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { passkeyIdOf } from '../../../src/people/passkey/rules.ts';
import type { Store } from '../../../src/store.ts';
import { delivered } from '../../build/delivered.ts';
import { aUser, PASSWORD } from '../../build/fixture.ts';
import { aPasskey, askedBy, type Lies } from '../../build/passkey.ts';
import { suitePart, testPart } from '../../build/suite-part.ts';
import { until } from '../../build/until.ts';
import { authorizationUrl, formWith, Visitor } from '../../build/visitor.ts';
import {
  addPasskey,
  aPerson,
  byPasskey,
  byPassword,
  enrolled,
  hasSession,
  loginPage,
  PASSKEYS,
  passkeysPage,
  sendPasskey,
  startPasskeyServer,
} from './passkeys-fixture.ts';

let username: string;
/** What an operator does in the moment after a passkey was accepted. */
let afterUse: (store: Store) => Promise<unknown> = async () => {};
const server = suitePart(async () => {
  const wrapStore = (store: Store): Store => ({
    ...store,
    async usePasskey(...use) {
      const outcome = await store.usePasskey(...use);
      await afterUse(store);
      return outcome;
    },
  });
  return startPasskeyServer({ wrapStore });
});
const visitor = testPart(() => new Visitor(server.base));
beforeEach(async () => {
  username = await aPerson(server);
  afterUse = async () => {};
});

describe('attacks on a sign-in with a passkey (WebAuthn section 7.2)', () => {
  const LIES: readonly (readonly [string, Lies])[] = [
    ['a page of another origin asked for it', { origin: 'https://evil.example' }],
    ['another port of the same host asked for it', { origin: 'http://localhost:1' }],
    ['it was made for another relying party', { rpId: 'evil.example' }],
    ['it is a registration and not an assertion', { type: 'webauthn.create' }],
    ['nobody was present', { isPresent: false }],
    ['a frame of another site asked for it', { crossOrigin: true }],
    ['it answers another challenge', { challenge: Buffer.alloc(32).toString('base64url') }],
    ['the signature is another one', { signature: Buffer.alloc(70, 1) }],
    ['the user handle is of another user', { userHandle: 'AAAA' }],
    ['there is no user handle where nobody said who signs in', { userHandle: undefined }],
  ];
  for (const [what, lies] of LIES) {
    it(`is refused if ${what}`, async () => {
      const passkey = await enrolled(server, username);
      const page = await loginPage(server, visitor);
      assert.equal((await sendPasskey(visitor, page, passkey.assert(askedBy(page), lies))).status, 400);
      assert.equal(hasSession(visitor), false);
      assert(delivered(await sendPasskey(visitor, page, passkey.assert(askedBy(page)))).fields.code, 'the truth works');
    });
  }

  it('what is no answer of an authenticator is refused: no JSON, no fields, too much', async () => {
    const page = await loginPage(server, visitor);
    const junk = ['', '{', 'null', '{}', '{"id":"a"}', '{"id":"a","response":null}', `{"id":"${'a'.repeat(40_000)}"}`];
    for (const passkey of [...junk, '{"id":"a","response":{"clientDataJSON":7}}']) {
      assert.equal((await sendPasskey(visitor, page, passkey)).status, 400, passkey.slice(0, 50));
    }
  });

  it('assertion replay: the same form sent again opens nothing, nor does the assertion in another sign-in', async () => {
    const passkey = await enrolled(server, username);
    const page = await loginPage(server, visitor);
    const assertion = passkey.assert(askedBy(page));
    assert(delivered(await sendPasskey(visitor, page, assertion)).fields.code);
    visitor.cookies.delete('gatehouse_session');
    const again = await sendPasskey(visitor, page, assertion);
    assert.equal(again.status, 400);
    assert.match(again.text, /already/);
    const next = await loginPage(server, visitor);
    assert.equal((await sendPasskey(visitor, next, assertion)).status, 400);
    assert.equal(hasSession(visitor), false);
  });

  it('assertion replay in parallel opens one session', async () => {
    const passkey = await enrolled(server, username, aPasskey({ hasCounter: false }));
    const page = await loginPage(server, visitor);
    const assertion = passkey.assert(askedBy(page));
    const form = formWith(page, 'passkey');
    const thieves = Array.from({ length: 8 }, () => {
      const thief = new Visitor(server.base);
      for (const [name, value] of visitor.cookies) thief.cookies.set(name, value);
      return thief;
    });
    await Promise.all(thieves.map(thief => thief.send(form, { passkey: assertion })));
    assert.equal(thieves.filter(hasSession).length, 1);
  });

  it('assertion replay where the first did not open a session: a passkey without user verification counts once', async () => {
    const passkey = await enrolled(server, username, aPasskey({ isVerifying: false, hasCounter: false }));
    const page = await loginPage(server, visitor);
    const assertion = passkey.assert(askedBy(page));
    assert.match((await sendPasskey(visitor, page, assertion)).text, /Enter your password as well/);
    assert.match((await sendPasskey(visitor, page, assertion)).text, /already/);
  });

  it('replay of a step-up: the second factor of one request does not serve another', async () => {
    const passkey = await enrolled(server, username);
    const page = await byPassword(server, username, visitor);
    const assertion = passkey.assert(askedBy(page));
    assert(delivered(await sendPasskey(visitor, page, assertion)).fields.code);
    const thief = new Visitor(server.base);
    const asked = await byPassword(server, username, thief);
    assert.equal((await sendPasskey(thief, asked, assertion)).status, 400);
    assert.equal(hasSession(thief), false);
  });

  it('the challenge of another browser: an assertion that was lured out does not sign the attacker in', async () => {
    const passkey = await enrolled(server, username);
    const victim = await loginPage(server, visitor);
    const thief = new Visitor(server.base);
    const own = await loginPage(server, thief);
    const assertion = passkey.assert(askedBy(victim));
    assert.equal((await thief.send(formWith(victim, 'passkey'), { passkey: assertion })).status, 400, 'its form');
    assert.equal((await sendPasskey(thief, own, assertion)).status, 400, 'their own form');
    assert.equal(hasSession(thief), false);
  });

  it('a cloned authenticator: a counter that does not rise is refused, logged and recorded (section 6.1.1)', async () => {
    const passkey = await enrolled(server, username);
    assert(delivered(await byPasskey(server, passkey)).fields.code);
    const page = await loginPage(server, visitor);
    const seen = await sendPasskey(visitor, page, passkey.assert(askedBy(page), { signCount: 1 }));
    assert.equal(seen.status, 400);
    assert.equal(hasSession(visitor), false);
    assert.match(server.logged(), /"event":"passkey\.cloned"/);
    const isRecorded = async () => {
      const failed = await server.services.store.listEvents(
        { types: ['user.login.failed'] },
        { after: undefined, limit: 5 },
      );
      return failed.some(({ details }) => details?.reason === 'cloned' && details.factor === 'passkey');
    };
    await until('the event of the copy is written', isRecorded);
  });

  it('another user’s passkey is no second factor', async () => {
    await enrolled(server, username);
    const mallory = await enrolled(server, await aPerson(server));
    const page = await byPassword(server, username, visitor);
    assert.equal((await sendPasskey(visitor, page, mallory.assert(askedBy(page)))).status, 400);
    assert.equal(hasSession(visitor), false);
  });

  it('step skipping: /login/passkey without a first factor, and a passkey where a code is due, prove nothing', async () => {
    const passkey = await enrolled(server, username);
    const page = await loginPage(server, visitor);
    const skipped = { ...formWith(page, 'passkey'), action: `${server.base}/login/passkey` };
    const seen = await visitor.send(skipped, { passkey: passkey.assert(askedBy(page)), action: '' });
    assert.match(seen.url, /\/login\?/, 'back to the first step');
    assert.equal(hasSession(visitor), false);
    const other = await aPerson(server);
    assert(delivered(await byPassword(server, other, visitor)).fields.code);
  });

  it('a passkey removed after its proof: the rest of the sign-in opens no session, adds no factor', async () => {
    const passkey = aPasskey({ isVerifying: false });
    await enrolled(server, username, passkey);
    const asked = await byPasskey(server, passkey, { visitor });
    assert.match(asked.text, /name="password"/, 'one factor is proved, and another is asked for');
    const { store, clock } = server.services;
    const { sub } = (await store.findAccount(username)) ?? { sub: '' };
    assert.equal(await store.removePasskey(sub, passkeyIdOf(passkey.credentialId), clock.now()), 'removed');
    const seen = await visitor.send(formWith(asked, 'password'), { username, password: PASSWORD });
    assert.equal(seen.status, 400);
    assert.equal(hasSession(visitor), false);
    assert.equal((await visitor.go(asked.url)).status, 400);
  });

  it('a passkey removed after it was proved as second factor: the rest of the sign-in sets no password, opens no session', async () => {
    const passkey = await enrolled(server, username);
    const { store, clock } = server.services;
    const { sub = '', passwordHash } = (await store.findAccount(username)) ?? {};
    await server.provision({
      users: [aUser({ username, email: `${username}@example.com`, phone_number: null, require_password_change: true })],
    });
    const asked = await byPassword(server, username, visitor);
    const step = await sendPasskey(visitor, asked, passkey.assert(askedBy(asked)));
    assert.match(step.url, /\/login\/new-password\?/, 'two factors are proved, and something else is missing');
    assert.equal(await store.removePasskey(sub, passkeyIdOf(passkey.credentialId), clock.now()), 'removed');
    const seen = await visitor.send(formWith(step, 'password'), { password: 'the choice of a stranger' });
    assert.equal(seen.status, 400);
    assert.equal(hasSession(visitor), false);
    assert.equal((await store.findAccount(username))?.passwordHash, passwordHash);
    assert.equal((await visitor.go(step.url)).status, 400);
  });

  for (const [what, app] of [
    ['completes a sign-in', undefined],
    ['steps a session up', 'open'],
  ] as const) {
    it(`a passkey that ${what} and is removed in the same moment leaves no session`, async () => {
      const passkey = await enrolled(server, username);
      const { sub = '' } = (await server.services.store.findAccount(username)) ?? {};
      if (app) await byPassword(server, username, visitor, {}, app);
      const asked = await byPassword(server, username, visitor);
      afterUse = store => store.removePasskey(sub, passkeyIdOf(passkey.credentialId), server.clock.now());
      await sendPasskey(visitor, asked, passkey.assert(askedBy(asked)));
      const silent = await visitor.go(authorizationUrl(server, { prompt: 'none' }));
      assert.equal(delivered(silent).fields.error, 'login_required');
    });
  }

  it('a passkey that was removed signs nobody in, and its user is asked for it no more', async () => {
    const passkey = await enrolled(server, username);
    const page = await loginPage(server, visitor);
    const { sub = '' } = (await server.services.store.findAccount(username)) ?? {};
    const [held] = await server.services.store.passkeysOf(sub);
    await server.services.store.removePasskey(sub, held?.id ?? '', server.clock.now());
    assert.equal((await sendPasskey(visitor, page, passkey.assert(askedBy(page)))).status, 400);
    assert(delivered(await byPassword(server, username, visitor)).fields.code);
  });
});

describe('attacks on the registration of a passkey (WebAuthn section 7.1)', () => {
  const LIES: readonly (readonly [string, Lies])[] = [
    ['a page of another origin made it', { origin: 'https://evil.example' }],
    ['it is for another relying party', { rpId: 'evil.example' }],
    ['it answers another challenge', { challenge: 'AAAA' }],
    ['it is an assertion', { type: 'webauthn.get' }],
    ['nobody was present', { isPresent: false }],
    ['it brings certificates to check, and addresses to fetch', { certificate: Buffer.from('3000', 'hex') }],
  ];
  for (const [what, lies] of LIES) {
    it(`is refused if ${what}`, async () => {
      const page = await passkeysPage(server, visitor, username);
      const seen = await addPasskey(visitor, page, aPasskey().register(askedBy(page), lies));
      assert.equal(seen.status, 400);
      assert.match(seen.text, /could not be added/);
      assert.match(seen.text, /You have no passkey yet/);
    });
  }

  it('a passkey registered for another account is refused for this one', async () => {
    const passkey = await enrolled(server, await aPerson(server));
    const page = await passkeysPage(server, visitor, username);
    const seen = await addPasskey(visitor, page, passkey.register(askedBy(page)));
    assert.equal(seen.status, 400);
    assert.match(seen.text, /already in use/);
  });

  it('a registration begun by one user cannot be finished by another in the same browser', async () => {
    const page = await passkeysPage(server, visitor, username);
    const mallory = await aPerson(server);
    visitor.cookies.delete('gatehouse_session');
    await passkeysPage(server, visitor, mallory);
    const seen = await addPasskey(visitor, page, aPasskey().register(askedBy(page)));
    assert.equal(seen.status, 400);
    assert.match(seen.text, /expired/);
  });

  it('a registration that is sent again adds nothing and shows no codes', async () => {
    const page = await passkeysPage(server, visitor, username);
    const answer = aPasskey().register(askedBy(page));
    assert.match((await addPasskey(visitor, page, answer)).text, /recovery-code/);
    assert.doesNotMatch((await addPasskey(visitor, page, answer)).text, /recovery-code/);
  });

  it('a session with the password alone adds and removes nothing for a user who has a passkey', async () => {
    await enrolled(server, username);
    await byPassword(server, username, visitor, {}, 'open');
    for (const action of ['add', 'remove', 'rename']) {
      const form = { action: `${server.base}${PASSKEYS}`, fields: new URLSearchParams({ action }) };
      assert.match((await visitor.send(form)).url, /\/login\/passkey\?/, action);
    }
  });
});
