import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Store } from '../../../src/store.ts';
import { fixedClock } from '../../build/clock.ts';
import { watchWrites } from '../../build/database.ts';
import { assertSentBack, delivered } from '../../build/delivered.ts';
import { aUser, PASSWORD } from '../../build/fixture.ts';
import { suitePart } from '../../build/suite-part.ts';
import { startTestServer, suiteServer } from '../../build/test-server.ts';
import { authorizationUrl, type Form, formWith, type Seen, signIn, Visitor } from '../../build/visitor.ts';

const ALICE = { username: 'alice', password: PASSWORD };
const SESSION = 'gatehouse_session';
const BROWSER = 'gatehouse_browser';

/** The answer to the form itself, no redirect followed. */
function submit(visitor: Visitor, form: Form, values: Record<string, string>, origin: string): Promise<Seen> {
  const body = new URLSearchParams([...form.fields, ...Object.entries(values)]).toString();
  const headers = { 'content-type': 'application/x-www-form-urlencoded', origin };
  return visitor.go(form.action, { method: 'POST', body, headers });
}

const cookieLine = (seen: Seen, name: string) =>
  seen.headers.getSetCookie().find(line => line.startsWith(`${name}=`)) ?? '';
const attributesOf = (line: string) =>
  line
    .split(';')
    .slice(1)
    .map(part => part.trim().toLowerCase())
    .sort();

describe('an unauthenticated authorization request writes nothing to the database (row 26)', () => {
  const called = new Set<string>();
  const watched = (store: Store): Store =>
    new Proxy(store, {
      get(target, name, receiver) {
        // The state of a cluster is looked at in the background.
        if (name !== 'cluster') called.add(String(name));
        return Reflect.get(target, name, receiver);
      },
    });
  const server = suiteServer({ wrapStore: watched });

  // Looking up a session that does not exist is a lookup; everything else here is a plain read.
  const reads = ['findApplication', 'findClient', 'findAccount', 'passwordHashFrom', 'useSession'];
  const calledBeside = (...expected: string[]) =>
    [...called].filter(name => !reads.includes(name) && !expected.includes(name));

  it('neither the request nor the login page', async () => {
    const watch = await watchWrites(server);
    called.clear();
    const visitor = new Visitor(server.base);
    visitor.cookies.set(SESSION, 'made-up');
    for (const fields of [{}, { response_type: 'id_token token' }]) {
      await visitor.follow(authorizationUrl(server, fields));
    }
    const page = await visitor.follow(authorizationUrl(server));
    await server.services.refusals.flush();
    assert.equal(await watch.written(), false);
    assert.deepEqual(calledBeside(), []);
    await visitor.send(formWith(page, 'password'), ALICE);
    assert.equal(await watch.written(), true, 'the watch would have seen a session');
    await watch.close();
  });

  it('while its answer is made, nor do a refusal, a failed login and a cancel; their explanation is written afterwards', async () => {
    called.clear();
    const visitor = new Visitor(server.base);
    visitor.cookies.set(SESSION, 'made-up');
    for (const fields of [{ prompt: 'none' }, { scope: 'bad' }]) {
      await visitor.follow(authorizationUrl(server, fields));
    }
    const page = await visitor.follow(authorizationUrl(server));
    await visitor.send(formWith(page, 'action'), { action: 'cancel' });
    await server.services.refusals.flush();
    assert(called.has('addRefusals'));
    assert.deepEqual(calledBeside('addRefusals', 'trimRefusals', 'describeUser'), []);
  });

  it('a failed login: its event, of which there is a bounded number (docs/events.md), and its count where nodes share it', async () => {
    const visitor = new Visitor(server.base);
    const page = await visitor.follow(authorizationUrl(server));
    called.clear();
    await visitor.send(formWith(page, 'password'), { ...ALICE, password: 'wrong' });
    await visitor.send(formWith(page, 'password'), { ...ALICE, username: 'nobody' });
    await server.services.recorder.drain();
    const reads = ['findApplication', 'findClient', 'findAccount', 'passwordHashFrom', 'useSession'];
    const others = [...called].filter(name => !reads.includes(name));
    // docs/decisions/throttling.md: one row for each bucket, which is deleted when it is full again.
    const counts = process.env.TEST_STORE === 'postgres' ? ['failedAttempts', 'takeAttempt'] : [];
    assert.deepEqual(others, [...counts, 'recordEvents']);
  });
});

describe('cookies (rows 2 and 26)', () => {
  const server = suiteServer();
  const secure = suitePart(() => startTestServer({ env: { BASE_URL: 'https://id.example' } }));

  it('are HttpOnly, SameSite=Lax, for the whole host and for no other', async () => {
    const visitor = new Visitor(server.base);
    const first = await visitor.go(authorizationUrl(server));
    assert.deepEqual(attributesOf(cookieLine(first, BROWSER)), ['httponly', 'path=/', 'samesite=lax']);
    const form = formWith(await visitor.go(first.location ?? ''), 'password');
    const attributes = attributesOf(cookieLine(await submit(visitor, form, ALICE, server.base), SESSION));
    assert.deepEqual(
      attributes.filter(part => !part.startsWith('max-age=')),
      ['httponly', 'path=/', 'samesite=lax'],
    );
  });

  it('on https are Secure and carry the __Host- prefix', async () => {
    const visitor = new Visitor(secure.base);
    const here = (url = '') => url.replace('https://id.example', secure.base);
    const first = await visitor.go(authorizationUrl(secure));
    assert(first.location?.startsWith('https://id.example/login?'));
    const line = cookieLine(first, `__Host-${BROWSER}`);
    assert.deepEqual(attributesOf(line), ['httponly', 'path=/', 'samesite=lax', 'secure']);

    const page = await visitor.go(here(first.location));
    const form = formWith(page, 'password');
    assert.equal((await submit(visitor, form, ALICE, secure.base)).status, 403, 'the origin is that of BASE_URL');
    const posted = await submit(visitor, form, ALICE, 'https://id.example');
    const session = cookieLine(posted, `__Host-${SESSION}`);
    assert.deepEqual(
      attributesOf(session).filter(part => !part.startsWith('max-age=')),
      ['httponly', 'path=/', 'samesite=lax', 'secure'],
    );
    assert.equal(posted.headers.get('strict-transport-security'), 'max-age=31536000; includeSubDomains');
    const answer = delivered(await visitor.go(here(posted.location)));
    assert.equal(answer.fields.iss, 'https://id.example/api/v1/authorize/shop/oauth2');
  });

  it('on https a cookie without the prefix, as a subdomain could plant it, counts for nothing', async () => {
    const visitor = new Visitor(secure.base);
    const here = (url = '') => url.replace('https://id.example', secure.base);
    const first = await visitor.go(authorizationUrl(secure));
    const planted = new Visitor(secure.base);
    planted.cookies.set(BROWSER, visitor.cookies.get(`__Host-${BROWSER}`) ?? '');
    assert.equal((await planted.go(here(first.location))).status, 400);
    assert.equal((await visitor.go(here(first.location))).status, 200);
  });
});

describe('the session identifier changes at every login', () => {
  const server = suiteServer({
    users: [aUser(), aUser({ username: 'bob', email: 'bob@example.com', phone_number: '+8613800000002' })],
  });

  it('never becomes what the browser brought along (session fixation)', async () => {
    const visitor = new Visitor(server.base);
    visitor.cookies.set(SESSION, 'planted');
    await signIn(server, {}, { visitor });
    assert.notEqual(visitor.cookies.get(SESSION), 'planted');
    const attacker = new Visitor(server.base);
    attacker.cookies.set(SESSION, 'planted');
    const seen = await attacker.go(authorizationUrl(server, { prompt: 'none' }));
    assertSentBack(server, seen, { error: 'login_required' });
  });

  for (const username of ['alice', 'bob']) {
    it(`and the one before it ends (then ${username} signs in)`, async () => {
      const visitor = new Visitor(server.base);
      await signIn(server, {}, { visitor });
      const copy = new Visitor(server.base);
      copy.cookies.set(SESSION, visitor.cookies.get(SESSION) ?? '');
      assert(delivered(await copy.go(authorizationUrl(server, { prompt: 'none' }))).fields.code);
      await signIn(server, { prompt: 'login' }, { visitor, username });
      assert.notEqual(visitor.cookies.get(SESSION), copy.cookies.get(SESSION));
      const seen = await copy.go(authorizationUrl(server, { prompt: 'none' }));
      assertSentBack(server, seen, { error: 'login_required' });
    });
  }

  it('is not changed by a failed login', async () => {
    const visitor = new Visitor(server.base);
    await signIn(server, {}, { visitor });
    const before = visitor.cookies.get(SESSION);
    await signIn(server, { prompt: 'login' }, { visitor, password: 'wrong' });
    assert.equal(visitor.cookies.get(SESSION), before);
    assert(delivered(await visitor.go(authorizationUrl(server, { prompt: 'none' }))).fields.code);
  });
});

describe('too many failures (row 42)', () => {
  const clock = fixedClock();
  const server = suiteServer({ clock });

  for (const username of ['alice', 'nobody']) {
    it(`429 with Retry-After, the right password or not, known or not: ${username}`, async () => {
      const visitor = new Visitor(server.base);
      const form = formWith(await visitor.follow(authorizationUrl(server)), 'password');
      let failures = 0;
      let seen = await visitor.send(form, { username, password: 'wrong' });
      while (seen.status === 400 && failures++ < 50) seen = await visitor.send(form, { username, password: 'wrong' });
      assert.equal(seen.status, 429);
      const wait = Number(seen.headers.get('retry-after'));
      assert(Number.isInteger(wait) && wait > 0);
      assert(formWith(seen, 'password'), 'the form stays, to try again later');
      assert.equal((await visitor.send(form, { username, password: PASSWORD })).status, 429);
      assert.equal(visitor.cookies.has(SESSION), false);
      clock.advance(wait - 1);
      assert.equal((await visitor.send(form, { username, password: PASSWORD })).status, 429);
      clock.advance(1);
      const later = await visitor.send(form, { username, password: PASSWORD });
      assert.equal(later.status, username === 'alice' ? 302 : 400);
      clock.advance(3600);
    });
  }
});

describe('the pages let no script, style or frame of others in (row 25)', () => {
  let pages: Seen[];
  const server = suiteServer();
  before(async () => {
    const visitor = new Visitor(server.base);
    const login = await visitor.follow(authorizationUrl(server, { login_hint: 'x', ui_locales: 'zh' }));
    const failed = await visitor.send(formWith(login, 'password'), { username: 'alice', password: 'wrong' });
    const problem = await visitor.follow(authorizationUrl(server, { client_id: 'nobody' }));
    const formPost = await signIn(server, { response_mode: 'form_post' });
    pages = [login, failed, problem, formPost];
  });

  it('by their headers', () => {
    for (const { headers } of pages) {
      const policy = new Map(
        (headers.get('content-security-policy') ?? '').split(';').map(rule => {
          const [name = '', ...sources] = rule.trim().split(' ');
          return [name, sources.join(' ')];
        }),
      );
      assert.equal(policy.get('default-src'), "'none'");
      assert.equal(policy.get('script-src'), "'self'");
      assert.equal(policy.get('style-src'), "'self'");
      assert.equal(policy.get('frame-ancestors'), "'none'");
      assert.equal(policy.get('base-uri'), "'none'");
      assert.match(policy.get('form-action') ?? '', /^'self'/);
      assert.equal(headers.get('x-frame-options'), 'DENY');
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
      assert.equal(headers.get('cache-control'), 'no-store');
    }
  });

  it('by their markup', () => {
    for (const { text } of pages) {
      assert.match(text, /^<!doctype html>/);
      assert.doesNotMatch(text, /<style|\sstyle=|\son\w+=|javascript:|<iframe|<base/i);
      const sources = [...text.matchAll(/<(?:script|link)\b[^>]*>/g)].map(
        ([tag]) => / (?:src|href)="([^"]*)"/.exec(tag)?.[1],
      );
      assert(sources.length > 0);
      for (const source of sources) assert.match(source ?? '', /^(\/assets\/|data:,$)/);
      assert.doesNotMatch(text, /<script[^>]*>[^<]/);
    }
  });

  it('and what they load is there', async () => {
    const sources = pages.flatMap(({ text }) => text.match(/\/assets\/[\w.-]+/g) ?? []);
    for (const source of new Set(sources)) {
      const { status, headers } = await fetch(server.base + source);
      assert.equal(status, 200);
      assert.match(headers.get('content-type') ?? '', /^text\/(css|javascript)/);
    }
  });
});
