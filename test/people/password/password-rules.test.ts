import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { before, describe, it } from 'node:test';
import { newOwnerLink } from '../../../src/operators/first-owner/owner-link.ts';
import { token } from '../../build/client.ts';
import { gatehouseReading } from '../../build/command.ts';
import { aUser, PASSWORD } from '../../build/fixture.ts';
import { openConsole } from '../../build/in-console.ts';
import { anOperatorClient } from '../../build/operator.ts';
import { suitePart } from '../../build/suite-part.ts';
import { startTestServer, suiteServer } from '../../build/test-server.ts';
import { formWith, Visitor } from '../../build/visitor.ts';

const REFUSED: readonly (readonly [password: string, detail: RegExp])[] = [
  ['short 1', /^must have at least 8 characters/],
  ['x'.repeat(257), /^must have at most 256 characters$/],
  ['Password123', /^is too common: choose a different one$/],
  ['carol2024', /^is too similar to the user name: choose a different one$/],
  ['cora.lane1', /^is too similar to the e-mail address: choose a different one$/],
  ['gatehouse!', /^is too similar to the name of the application: choose a different one$/],
];

describe('a password that is set must keep the rules (accounts contract, Passwords)', () => {
  const carol = { username: 'carol', email: 'cora.lane@example.com' };
  let sub: string;
  const server = suiteServer({ users: [aUser({ password: 'secret' })] });
  const owner = suitePart(() => anOperatorClient(server));
  before(async () => {
    sub = (await owner.ask('POST', '/users', { ...carol, password: PASSWORD })).json.sub;
  });

  const logIn = (password: string, username = 'carol') => token(server, { grant_type: 'password', username, password });

  for (const [password, detail] of REFUSED) {
    it(`"${password.slice(0, 12)}": POST /users and PUT /users/{sub}/password are 400 at /password, and change nothing`, async () => {
      const over = { username: 'carol2', email: 'cora.lane@other.example' };
      for (const answer of [
        await owner.ask('POST', '/users', {
          ...over,
          ...(password === 'carol2024' && { username: 'carol20' }),
          password,
        }),
        await owner.ask('PUT', `/users/${sub}/password`, { password }),
      ]) {
        assert.equal(answer.status, 400, answer.text);
        const [fault, ...others] = answer.json.errors;
        assert.deepEqual([Object.keys(fault), others], [['pointer', 'detail'], []]);
        assert.equal(fault.pointer, '/password');
        assert.match(fault.detail, detail);
        assert(!answer.text.includes(password));
      }
      assert.equal((await logIn(PASSWORD)).status, 200);
      assert.deepEqual((await owner.ask('GET', '/users?q=carol2')).json.items, []);
    });
  }

  it('the password that was judged is the one that signs in, in any form of Unicode', async () => {
    assert.equal(
      (await owner.ask('PUT', `/users/${sub}/password`, { password: 'cre\u0300me bru\u0302le\u0301e' })).status,
      204,
    );
    assert.equal((await logIn('cr\u00e8me br\u00fbl\u00e9e')).status, 200);
    assert.equal((await owner.ask('PUT', `/users/${sub}/password`, { password: PASSWORD })).status, 204);
  });

  it('an unknown user is 404 whatever the password; a hash of another system is not judged', async () => {
    assert.equal((await owner.ask('PUT', '/users/nobody/password', { password: 'short 1' })).status, 404);
    const password_hash = '$2b$04$LxbFgoKCML1opwm7D.JK6.D/jHgTdz8szGcm3i55d4lz/9ahqEruy';
    assert.equal((await owner.ask('POST', '/users', { username: 'hashed', password_hash })).status, 201);
  });

  it('an apply file is not judged, and a password that was set before the rules signs in', async () => {
    assert.equal((await logIn('secret', 'alice')).status, 200);
  });

  it('an application may demand more than 8 characters, by password_min_length, and never fewer', async () => {
    const change = (password_min_length: unknown) => owner.ask('PATCH', '/applications/shop', { password_min_length });
    assert.equal((await owner.ask('GET', '/applications/shop')).json.password_min_length, 8);
    assert.equal((await change(12)).json.password_min_length, 12);
    for (const wrong of [7, 65, 8.5, '12'])
      assert.equal((await change(wrong)).json.errors[0].pointer, '/password_min_length', String(wrong));
    const { newPasswords } = server.services;
    assert.deepEqual(await newPasswords.check('x7#kQ2pzabc', { minLength: 12 }), { kind: 'tooShort', min: 12 });
    assert.equal(await newPasswords.check('x7#kQ2pzabcd', { minLength: 12 }), undefined);
  });

  it('the command line says the same, with exit code 65', async () => {
    const run = (password: string) =>
      gatehouseReading(server, password, 'users', 'set-password', sub, '--password-stdin');
    const refused = await run('Password123');
    assert.deepEqual([refused.code, refused.err], [65, '--password: is too common: choose a different one\n']);
  });

  it('the page of the first owner says it in the language of the reader', async () => {
    const own = await startTestServer();
    try {
      for (const [language, text] of [
        ['en', 'is too common: choose a different one'],
        ['zh', '是最常见的密码之一：请选择其他密码'],
      ] as const) {
        const page = await new Visitor(own.base).go(await newOwnerLink(own.services), {
          method: 'POST',
          headers: { 'content-type': 'application/x-www-form-urlencoded', 'accept-language': language },
          body: new URLSearchParams({ action: 'create', username: 'carol', password: 'Password123' }).toString(),
        });
        assert.equal(page.status, 400);
        assert(page.text.includes(text), page.text);
      }
    } finally {
      await own.close();
    }
  });

  it('the console says it beside the field', async () => {
    const console = await openConsole();
    try {
      const { visitor, seen } = await console.inConsole('/console/users/new');
      const faulty = await visitor.send(formWith(seen, 'username'), { username: 'dora', password: 'dora1234' });
      assert.equal(faulty.status, 400);
      assert.match(faulty.text, /id="password-fault"[^<]*>is too similar to the user name: choose a different one/);
    } finally {
      await console.server.close();
    }
  });
});

describe('the list of common passwords in memory (issue 14, point 2)', () => {
  /** In a process of its own, which counts what it loads. */
  const SCRIPT = `
    import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ resolve(specifier, context, next) { loaded.push(specifier); return next(specifier, context); } });
    const { startTestServer } = await import('./test/build/test-server.ts');
    const { token } = await import('./test/build/client.ts');
    const server = await startTestServer();
    const { status } = await token(server, { grant_type: 'password', username: 'alice', password: '${PASSWORD}' });
    const atLogin = loaded.join();
    const fault = await server.services.newPasswords.check('Password123', {});
    console.log(JSON.stringify({ status, atLogin, kind: fault?.kind, after: loaded.join() }));
    await server.close();
    process.exit(0);`;

  it('is loaded with the first password that is set, not by a start or a login, and is less than 2 MB', () => {
    const args = ['--input-type=module', '--eval', SCRIPT];
    const out = execFileSync(process.execPath, args, { encoding: 'utf8', cwd: new URL('../../..', import.meta.url) });
    const { status, atLogin, kind, after } = JSON.parse(out);
    assert.equal(status, 200);
    assert.match(atLogin, /new-passwords/);
    assert.doesNotMatch(atLogin, /common-passwords|password-range/);
    assert.equal(kind, 'common');
    assert.match(after, /common-passwords/);
    assert.doesNotMatch(after, /password-range/, 'no range service is configured');
    assert(statSync(new URL('../../../src/people/password/common-passwords.bin', import.meta.url)).size < 2_000_000);
  });
});
