import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { claimsOf, redeem } from '../../build/client.ts';
import { delivered } from '../../build/delivered.ts';
import { askedBy } from '../../build/passkey.ts';
import { suitePart, testPart } from '../../build/suite-part.ts';
import { authorizationUrl, type Fields, formWith, type Seen, Visitor } from '../../build/visitor.ts';
import { openTown, type Person, type Traits } from './walks/town.ts';

describe('steps of a sign-in that meet (accounts contract, Sign-in is a sequence of steps)', () => {
  const town = suitePart(() => openTown());
  const visitor = testPart(() => new Visitor(town.server.base));
  beforeEach(() => {
    town.clock.advance(3600);
  });

  const NOTHING: Traits = {
    ...{ hasTotp: false, hasPasskey: false, isVerified: true, mustChangePassword: false, mustHaveSecondFactor: false },
  };
  const person = async (over: Partial<Traits>): Promise<Person> =>
    (await town.people([{ ...NOTHING, ...over }]))[0] ?? assert.fail();
  const go = (app: string, fields: Fields = {}, by = visitor) => by.follow(authorizationUrl(town.server, fields, app));
  const typePassword = (page: Seen, { username, password }: Person, by = visitor) =>
    by.send(formWith(page, 'password'), { username, password });
  const typeCode = (page: Seen, code: string | undefined, by = visitor, more: Record<string, string> = {}) =>
    by.send(formWith(page, 'code'), { code: code ?? '', ...more });
  const typeMailedCode = async (page: Seen, { email }: Person, by = visitor) =>
    typeCode(page, (await town.mailedCodes(email)).at(-1), by);
  const usePasskey = (page: Seen, { passkey }: Person, isVerified: boolean) =>
    visitor.send(formWith(page, 'passkey'), { passkey: passkey?.assert(askedBy(page), { isVerified }) ?? '' });
  const amrOf = async (seen: Seen, app: string) => {
    const { code = '' } = delivered(seen).fields;
    const { amr, acr } = claimsOf((await redeem(town.server, code, {}, undefined, app)).json.id_token);
    return [[...amr].sort(), acr];
  };

  it('a passkey steps up the session, then the address is verified: the answer tells of the passkey', async () => {
    const pia = await person({ hasPasskey: true, isVerified: false });
    await typePassword(await go('open'), pia);
    const page = await usePasskey(await go('post'), pia, false);
    assert.match(page.url, /\/login\/verify-email/);
    assert.deepEqual(await amrOf(await typeMailedCode(page, pia), 'post'), [['hwk', 'mfa', 'pwd'], '2']);
  });

  it('a code steps up the session, and the address is verified elsewhere: no answer with one factor', async () => {
    const tom = await person({ hasTotp: true, isVerified: false });
    await typePassword(await go('open'), tom);
    const waiting = await typeCode(await go('post'), tom.totp?.code());
    assert.match(waiting.url, /\/login\/verify-email/);
    // Sent before the second mail is asked for: mails of one run have no order.
    await town.mailedCodes(tom.email);
    town.clock.advance(60);
    const other = new Visitor(town.server.base);
    const there = await typePassword(await go('post', {}, other), tom, other);
    assert(delivered(await typeMailedCode(await typeCode(there, tom.totp?.code(), other), tom, other)).fields.code);
    const pending = formWith(waiting, 'code').fields.get('pending') ?? '';
    const back = await visitor.follow(`${town.server.at('post')}/auth?gatehouse_pending=${pending}`);
    assert.match(back.url, /\/login\/totp/, 'the code opened no session, so it is asked for again');
    town.clock.advance(60);
    assert.deepEqual(await amrOf(await typeCode(back, tom.totp?.code()), 'post'), [['mfa', 'otp', 'pwd'], '2']);
  });

  it('in a trusted browser the address is verified after the password', async () => {
    const tina = await person({ hasTotp: true, isVerified: false });
    const totp = await typePassword(await go('shop'), tina);
    assert(delivered(await typeCode(totp, tina.totp?.code(), visitor, { trust: 'true' })).fields.code);
    visitor.cookies.delete('gatehouse_session');
    const page = await typePassword(await go('post'), tina);
    assert.match(page.url, /\/login\/verify-email/);
    assert.equal(page.status, 200);
    assert.deepEqual(await amrOf(await typeMailedCode(page, tina), 'post'), [['pwd'], '1']);
  });

  it('in a trusted browser a new password is demanded after the old one', async () => {
    const tina = await person({ hasTotp: true });
    const totp = await typePassword(await go('shop'), tina);
    assert(delivered(await typeCode(totp, tina.totp?.code(), visitor, { trust: 'true' })).fields.code);
    visitor.cookies.delete('gatehouse_session');
    const { store } = town.server.services;
    const demand = { kind: 'user', sub: tina.sub ?? '', requirePasswordChange: true, now: town.clock.now() } as const;
    await store.provision([demand]);
    const page = await typePassword(await go('shop'), tina);
    assert.match(page.url, /\/login\/new-password/);
    assert.equal(page.status, 200);
    const seen = await visitor.send(formWith(page, 'password'), { password: 'another long passphrase' });
    assert.match(seen.url, /\/login\/totp/, 'the trust has ended with the old password');
  });

  it('a password that adds to a passkey is changed where an operator demands it', async () => {
    const pia = await person({ hasPasskey: true, mustChangePassword: true });
    const login = await usePasskey(await go('shop'), pia, false);
    assert.match(login.url, /\/login\?/);
    const page = await typePassword(login, pia);
    assert.match(page.url, /\/login\/new-password/);
    const seen = await visitor.send(formWith(page, 'password'), { password: 'another long passphrase' });
    assert.deepEqual(await amrOf(seen, 'shop'), [['hwk', 'mfa', 'pwd'], '2']);
  });

  it('a password that adds to a passkey and changes before the last step opens no session', async () => {
    const pia = await person({ hasPasskey: true, isVerified: false });
    const page = await typePassword(await usePasskey(await go('post'), pia, false), pia);
    assert.match(page.url, /\/login\/verify-email/);
    const { store, passwords } = town.server.services;
    await store.changePassword(pia.sub ?? '', await passwords.hash('set by the owner'), town.clock.now());
    assert.equal((await typeMailedCode(page, pia)).status, 400);
    assert.equal(visitor.cookies.has('gatehouse_session'), false);
  });
});
