import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Env, Started } from '../assembly/run.ts';
import { basic, get, introspect } from '../build/client.ts';
import { PASSWORD } from '../build/fixture.ts';
import { atLogin } from '../build/people.ts';
import { openReceiver } from '../build/receiver.ts';
import { suitePart } from '../build/suite-part.ts';
import { until } from '../build/until.ts';
import { answerIn, authorizationUrl, type Seen, signIn, Visitor } from '../build/visitor.ts';
import { addressOf, command, operatorPath, serve, wrongClock } from './operator.ts';
import { suiteGuide } from './run-guide.ts';

const CALLBACK = 'https://shop.example/callback';
const SECRET = 'the-first-secret-of-the-shop';
const APPLY_FILE = {
  applications: [
    {
      code: 'shop',
      name: 'Shop',
      clients: [{ client_id: 'shop-web', client_secret: SECRET, redirect_uris: [CALLBACK] }],
    },
    { code: 'bank', name: 'Bank' },
  ],
  users: ['alice', 'bob'].map(username => ({ username, password: PASSWORD })),
};
const DAY_MS = 86_400_000;
/** Their server is another one. */
const ELSEWHERE = 'operating-on-postgres.test.ts runs it';
const ON_POSTGRES = { 'pg_dump ': ELSEWHERE, 'psql ': ELSEWHERE, 'pg_restore ': ELSEWHERE };

/** The commands have the settings of the server, as in production. */
const ALLOWED = { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1' };

/** From now to noon of yesterday, which is yesterday for as long as the test takes. */
function sinceNoonOfYesterday(): number {
  const now = Date.now();
  return Math.round((now - (now % DAY_MS) - DAY_MS / 2 - now) / 1000);
}

/** The login page again, with what was wrong. */
const isRefused = ({ text }: Seen) => text.includes('name="password"');

describe('docs/guides/operating.md', () => {
  let server: Started;
  const replace: Record<string, string> = {};
  const start = async (env: Env = {}) => {
    const settings = { PORT: String(guide.port(3000)), ...ALLOWED, ...env };
    server = await serve(guide.folder, settings);
  };
  const fields = { client_id: 'shop-web', redirect_uri: CALLBACK };
  const logIn = (password = PASSWORD, visitor = new Visitor(addressOf(guide).base)) =>
    signIn(addressOf(guide), fields, { visitor, password });
  const accepts = async (secret: string) =>
    (await introspect(addressOf(guide), { token: 'none' }, { auth: basic('shop-web', secret) })).status === 200;

  const receiver = suitePart(openReceiver, part => part.down());
  const guide = suiteGuide('operating', {
    ports: [3000],
    replace,
    notRun: ON_POSTGRES,
    env: { PATH: operatorPath(), ...ALLOWED },
  });
  after(() => server?.destroy());
  before(async () => {
    replace['https://crm.example/hooks'] = receiver.address;
    const file = join(guide.folder, 'apply.json');
    writeFileSync(file, JSON.stringify(APPLY_FILE));
    const offset = sinceNoonOfYesterday();
    const clock = { now: () => Math.floor(Date.now() / 1000) + offset };
    const applied = await command(guide.folder, ['apply', file], {}, { clock });
    assert.equal(applied.code, 0, applied.err);
    await start(wrongClock(offset));
    assert(isRefused(await logIn('not the password')));
    assert(answerIn(await logIn()).code);
    // Counts and failed logins are written when it stops.
    assert.equal(await server.stop(), 0);
    await start();
  });

  it('who signed in yesterday, and how many', async () => {
    await guide.section('Who signed in yesterday');
    await guide.section('How many');
  });

  it('a webhook brings each login', async () => {
    await guide.section('As they happen');
    await logIn();
    await until('the login was sent', () => receiver.received.length > 0);
    assert.equal(JSON.parse(receiver.received[0]?.body ?? '').type, 'user.login.succeeded');
  });

  let password: string;
  it('a forgotten password: the new one signs in, the old one does not', async () => {
    password = (await guide.section('A user forgot the password')).trim().split('\n').at(-1) ?? '';
    assert(isRefused(await logIn()), 'the old one');
    assert(answerIn(await logIn(password)).code);
  });

  it('a client secret is replaced with an overlap, and the old one ended', async () => {
    let blocks = 0;
    const both = async () => {
      if (++blocks === 2) assert(await accepts(SECRET), 'both are accepted');
    };
    await guide.section('Another secret for a client', both);
    await until('the old secret has ended', async () => !(await accepts(SECRET)));
  });

  it('signing keys are rotated, with notice and without', async () => {
    const keys = async () => (await get(`${addressOf(guide).at()}/jwks`)).json.keys.length;
    const before = (await get(`${addressOf(guide).at()}/jwks`)).json.keys[0].kid;
    let blocks = 0;
    await guide.section('Other signing keys', async () => {
      if (++blocks === 1) await until('both keys are published', async () => (await keys()) === 2);
    });
    await until('the stolen key is gone', async () => {
      const { json } = await get(`${addressOf(guide).at()}/jwks`);
      return json.keys.every(({ kid }: { kid: string }) => kid !== before);
    });
  });

  it('all sessions of a user end, and a disabled user does not sign in', async () => {
    await command(guide.folder, ['sessions', 'end', '--user', 'alice']);
    const visitor = new Visitor(addressOf(guide).base);
    await logIn(password, visitor);
    await guide.section('End the sessions of a user');
    assert(atLogin(await visitor.follow(authorizationUrl(addressOf(guide), fields))), 'the session has ended');
    assert(isRefused(await logIn(password)), 'the user is disabled');
  });

  it('operators and keys have the rights of their role and applications', async () => {
    const printed = await guide.section('Operators with fewer rights');
    assert.match(printed, /^\S+ +bob +operator +shop /m);
    assert.match(printed, /^role +auditor$/m);
  });

  it('the embedded store comes back from its backup', async () => {
    const users = async () => (await command(guide.folder, ['users', 'list'])).out;
    await guide.section('Embedded store');
    await command(guide.folder, ['users', 'create', '--username', 'carol']);
    assert.match(await users(), /carol/);
    await server.stop('SIGKILL');
    let blocks = 0;
    await guide.section('Restore the embedded store', async () => {
      if (++blocks === 1) await start();
    });
    assert.doesNotMatch(await users(), /carol/);
    assert(answerIn(await signIn(addressOf(guide), fields, { username: 'bob' })).code);
  });

  it('has no command that is not run', async () => {
    await guide.section('PostgreSQL');
    await guide.section('Restore PostgreSQL');
    assert.deepEqual(guide.left(), []);
  });
});
