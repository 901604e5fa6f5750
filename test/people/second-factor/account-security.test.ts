import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import decodeQR from 'qr/decode.js';
import { anAuthenticator } from '../../build/authenticator.ts';
import { claimsOf, redeem } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { delivered } from '../../build/delivered.ts';
import { anApplication, aUser, PASSWORD } from '../../build/fixture.ts';
import { anOperatorClient } from '../../build/operator.ts';
import { testPart } from '../../build/suite-part.ts';
import { suiteServer } from '../../build/test-server.ts';
import { authorizationUrl, type Form, formWith, type Seen, signIn, Visitor } from '../../build/visitor.ts';

let username: string;
let count = 0;
const clock = fixedClock();
const server = suiteServer({ clock, applications: [anApplication()], users: [] });
beforeEach(async () => {
  username = `user${++count}`;
  const names = { username, email: `${username}@example.com`, phone_number: null };
  await server.provision({ users: [aUser({ ...names, phone_number_verified: false })] });
});
const visitor = testPart(() => new Visitor(server.base));
beforeEach(() => {
  clock.advance(600);
});

const SECURITY = () => `${server.base}/account/security`;
const open = (path = '') => visitor.follow(SECURITY() + path);
const logIn = (page: Seen) => visitor.send(formWith(page, 'password'), { username, password: PASSWORD });
const keyIn = (page: Seen) => /id="totp-key">([A-Z2-7 ]+)</.exec(page.text)?.[1] ?? '';
const codesIn = (page: Seen) =>
  [...page.text.matchAll(/class="recovery-code">([^<]+)</g)].map(([, code]) => code ?? '');
const press = (page: Seen, action: string) => visitor.send(formWith(page, `action" value="${action}`), { action });
const lastEvents = async (type: 'factor.added' | 'factor.removed' | 'factor.used') =>
  (await server.services.store.listEvents({ types: [type] }, { after: undefined, limit: 5 })).map(
    ({ details, actor }) => ({ ...details, actor: actor.kind }),
  );

async function enrol() {
  const page = await logIn(await open('/totp'));
  const app = anAuthenticator(clock, keyIn(page));
  const shown = await visitor.send(formWith(page, 'code'), { code: app.code() });
  return { page, app, shown, codes: codesIn(shown) };
}

/** Signs in with the password in a new browser; the page of the code. */
async function passwordIn(other: Visitor): Promise<Seen> {
  return signIn(server, {}, { visitor: other, username });
}

describe('setting up one-time passwords (accounts contract, /account/security/totp)', () => {
  it('shows the key as text and as a QR code, and counts after a first code', async () => {
    const { page, app, shown, codes } = await enrol();
    assert.match(keyIn(page), /^[A-Z2-7]{32}$/);
    assert.equal(shown.status, 200);
    assert.equal(new Set(codes).size, 10);
    assert.deepEqual((await lastEvents('factor.added'))[0], { factor: 'totp', actor: 'user' });
    const other = new Visitor(server.base);
    clock.advance(30);
    const seen = await other.send(formWith(await passwordIn(other), 'code'), { code: app.code() });
    assert(delivered(seen).fields.code);
  });

  it('the QR code holds the key, the issuer and the user, and a decoder reads it', async () => {
    const page = await logIn(await open('/totp'));
    const svg = /<svg class="qr"[\s\S]*?<\/svg>/.exec(page.text)?.[0] ?? '';
    const text = decodeQR(pixelsOf(svg));
    const address = new URL(text);
    assert.equal(`${address.protocol}//${address.host}`, 'otpauth://totp');
    assert.equal(address.searchParams.get('secret'), keyIn(page));
    assert.equal(address.searchParams.get('issuer'), new URL(server.base).host);
    assert.match(decodeURIComponent(address.pathname), new RegExp(`:${username}$`));
  });

  it('a wrong code asks again with the same key, and nothing counts', async () => {
    const page = await logIn(await open('/totp'));
    const app = anAuthenticator(clock, keyIn(page));
    const again = await visitor.send(formWith(page, 'code'), { code: app.wrongCode() });
    assert.deepEqual([again.status, keyIn(again)], [400, keyIn(page)]);
    assert(delivered(await passwordIn(new Visitor(server.base))).fields.code, 'no second factor yet');
    assert.equal(codesIn(await visitor.send(formWith(again, 'code'), { code: app.code() })).length, 10);
  });

  it('the session that set it up is not asked again, and has a new identifier', async () => {
    await logIn(await open());
    const before = visitor.cookies.get('gatehouse_session');
    const page = await open('/totp');
    await visitor.send(formWith(page, 'code'), { code: anAuthenticator(clock, keyIn(page)).code() });
    assert.notEqual(visitor.cookies.get('gatehouse_session'), before);
    assert.match((await open()).text, /10 codes are left/);
    const answer = delivered(await visitor.follow(authorizationUrl(server))).fields;
    assert.equal(claimsOf((await redeem(server, answer.code)).json.id_token).acr, '2');
  });

  it('codes are shown once: a form that is sent again shows none', async () => {
    const page = await logIn(await open('/totp'));
    const code = anAuthenticator(clock, keyIn(page)).code();
    assert.equal(codesIn(await visitor.send(formWith(page, 'code'), { code })).length, 10);
    const again = await visitor.send(formWith(page, 'code'), { code });
    assert.deepEqual([again.url, codesIn(again)], [SECURITY(), []]);
  });

  it('needs an authentication not older than 5 minutes', async () => {
    await logIn(await open());
    assert.equal((await open('/totp')).url, `${SECURITY()}/totp`);
    clock.advance(301);
    const asked = await open('/totp');
    assert.match(asked.url, /\/login\?/);
    assert.equal((await logIn(asked)).url, `${SECURITY()}/totp`, 'and comes back');
  });

  it('attack: an enrolment begun by one user cannot be finished by another in the same browser', async () => {
    const page = await logIn(await open('/totp'));
    const code = anAuthenticator(clock, keyIn(page)).code();
    await server.provision({
      users: [aUser({ username: 'mallory', email: 'm@example.com', phone_number: null, phone_number_verified: false })],
    });
    const login = await visitor.follow(authorizationUrl(server, { prompt: 'login' }));
    await visitor.send(formWith(login, 'password'), { username: 'mallory', password: PASSWORD });
    assert.equal((await visitor.send(formWith(page, 'code'), { code })).status, 400);
  });

  it('nothing of it is stored or logged in the clear', async () => {
    const { page, codes } = await enrol();
    const account = await server.services.store.findAccount(username);
    const stored = JSON.stringify([account, await server.services.store.secondFactorsOf(account?.sub ?? '')]);
    for (const secret of [keyIn(page), ...codes, ...codes.map(code => code.replaceAll('-', ''))]) {
      assert(!stored.includes(secret) && !server.logged().includes(secret));
    }
  });
});

describe('removing factors and making new recovery codes', () => {
  it('the user removes the app, and with it the recovery codes', async () => {
    await enrol();
    const removed = await press(await open(), 'remove_totp');
    assert.match(removed.text, /Set up an authenticator app/);
    assert.deepEqual((await lastEvents('factor.removed'))[0], { factor: 'totp', actor: 'user' });
    assert(delivered(await passwordIn(new Visitor(server.base))).fields.code, 'the password is enough again');
  });
  it('new recovery codes replace the former ones', async () => {
    const { codes } = await enrol();
    const fresh = codesIn(await press(await open(), 'new_recovery_codes'));
    assert.equal(new Set([...codes, ...fresh]).size, 20);
  });
  it('attack: a session of the password alone removes nothing', async () => {
    const { app } = await enrol();
    await server.provision({ applications: [anApplication({ code: 'open', name: 'Open', mfa: 'off' })] });
    const thief = new Visitor(server.base);
    await signIn(server, {}, { visitor: thief, username, app: 'open' });
    const form = { action: SECURITY(), fields: new URLSearchParams({ action: 'remove_totp' }) };
    assert.match((await thief.send(form)).url, /\/login\/totp\?/);
    clock.advance(30);
    const other = new Visitor(server.base);
    const page = await passwordIn(other);
    assert(delivered(await other.send(formWith(page, 'code'), { code: app.code() })).fields.code, 'still needed');
  });
  it('an operator sees the factors without a secret and removes one (GET and DELETE /users/{sub}/factors)', async () => {
    await enrol();
    const owner = await anOperatorClient(server);
    const { sub = '' } = (await server.services.store.findAccount(username)) ?? {};
    const listed = await owner.ask('GET', `/users/${sub}/factors`);
    assert.deepEqual(listed.json.items.map(({ kind }: { kind: string }) => kind).sort(), [
      'password',
      'recovery',
      'totp',
    ]);
    assert.equal((await owner.ask('DELETE', `/users/${sub}/factors/totp`)).status, 204);
    assert(delivered(await passwordIn(new Visitor(server.base))).fields.code);
  });
});

describe('recovery codes (accounts contract, /login/recovery)', () => {
  const toRecovery = async (other: Visitor) => {
    const page = await passwordIn(other);
    const link = /href="(\/login\/recovery[^"]+)"/.exec(page.text)?.[1] ?? '';
    return other.go(server.base + link.replaceAll('&amp;', '&'));
  };

  it('sign in instead of the app, each once, and the page says how many are left', async () => {
    const { codes } = await enrol();
    const first = new Visitor(server.base);
    const page = await toRecovery(first);
    assert.match(page.text, /10 codes are left/);
    const seen = await first.send(formWith(page, 'code'), { code: ` ${codes[3]?.toUpperCase().replaceAll('-', '')} ` });
    const { amr, acr } = claimsOf((await redeem(server, delivered(seen).fields.code)).json.id_token);
    assert.deepEqual([amr, acr], [['pwd', 'rec', 'mfa'], '2']);
    assert.deepEqual((await lastEvents('factor.used'))[0], { factor: 'recovery', left: 9, actor: 'user' });
    const second = new Visitor(server.base);
    const again = await toRecovery(second);
    assert.match(again.text, /9 codes are left/);
    const refused = await second.send(formWith(again, 'code'), { code: codes[3] ?? '' });
    assert.equal(refused.status, 400);
    assert.equal(second.cookies.has('gatehouse_session'), false);
  });

  it('attack: one code raced in parallel sign-ins opens one session', async () => {
    const { codes } = await enrol();
    const thieves = Array.from({ length: 6 }, () => new Visitor(server.base));
    const forms: Form[] = [];
    for (const thief of thieves) forms.push(formWith(await toRecovery(thief), 'code'));
    await Promise.all(thieves.map((thief, each) => thief.send(forms[each] ?? assert.fail(), { code: codes[0] ?? '' })));
    assert.equal(thieves.filter(({ cookies }) => cookies.has('gatehouse_session')).length, 1);
  });

  it('attack: guesses of both kinds share the five of one sign-in', async () => {
    const { app } = await enrol();
    const thief = new Visitor(server.base);
    const totp = formWith(await passwordIn(thief), 'code');
    const recovery = { ...totp, action: `${server.base}/login/recovery` };
    for (const form of [totp, recovery, totp, recovery, totp]) {
      assert.equal((await thief.send(form, { code: app.wrongCode() })).status, 400);
    }
    clock.advance(30);
    assert.equal((await thief.send(recovery, { code: app.wrongCode() })).status, 403);
    assert.equal((await thief.send(totp, { code: app.code() })).status, 403);
  });
});

/** Draws the SVG of a QR code with four pixels for each module. */
function pixelsOf(svg: string): { width: number; height: number; data: Uint8Array } {
  const scale = 4;
  const size = Number(/viewBox="0 0 (\d+) /.exec(svg)?.[1]) * scale;
  const data = new Uint8Array(size * size * 4).fill(255);
  for (const [, x, y] of svg.matchAll(/M(\d+) (\d+)h1/g)) {
    for (let dy = 0; dy < scale; dy++) {
      for (let dx = 0; dx < scale; dx++) {
        const at = ((Number(y) * scale + dy) * size + Number(x) * scale + dx) * 4;
        data.fill(0, at, at + 3);
      }
    }
  }
  return { width: size, height: size, data };
}
