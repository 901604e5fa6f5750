import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { LIMITS } from '../../../src/platform/throttle/throttle.ts';
import { token } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { anApplication, PASSWORD } from '../../build/fixture.ts';
import { listen } from '../../build/listen.ts';
import { anOperatorClient } from '../../build/operator.ts';
import { suitePart } from '../../build/suite-part.ts';
import { IMPATIENT, startTestServer } from '../../build/test-server.ts';
import { authorizationUrl, formWith, Visitor } from '../../build/visitor.ts';

const BREACHED = 'twelve blue herons at dawn';
const FINE = 'eleven grey herons at dusk';
const sha1 = (text: string) => createHash('sha1').update(text).digest('hex').toUpperCase();
const suffixOf = (text: string) => sha1(text).slice(5);

/** A range service on 127.0.0.1 that answers as it is told and remembers what it was asked. */
async function openRangeService() {
  const asked: IncomingMessage[] = [];
  let answer = (_: ServerResponse) => {};
  const { origin, close } = await listen((incoming, outgoing) => {
    asked.push(incoming);
    answer(outgoing);
  });
  return {
    asked,
    url: `${origin}/range/`,
    answers(next: (outgoing: ServerResponse) => void) {
      asked.length = 0;
      answer = next;
    },
    close,
  };
}

describe('the range service for breached passwords (accounts contract, Passwords)', () => {
  let sub: string;
  const serverWith = (allowed: string, env: Readonly<Record<string, string>> = {}) =>
    startTestServer({ env: { PASSWORD_RANGE_URL: range.url, GATEHOUSE_OUTBOUND_ALLOW: allowed, ...env } });
  const range = suitePart(openRangeService);
  const server = suitePart(() => serverWith('127.0.0.1'));
  const owner = suitePart(() => anOperatorClient(server));
  before(async () => {
    sub = (await server.services.store.findAccount('alice'))?.sub ?? '';
  });

  const set = (password: string) => owner.ask('PUT', `/users/${sub}/password`, { password });
  const lines = (...more: string[]) => [`${'0'.repeat(35)}:3`, ...more, `${'F'.repeat(35)}:1`].join('\r\n');

  it('a password that it knows is refused; it learns five characters of the hash, and is asked for padding', async () => {
    range.answers(outgoing => outgoing.end(lines(`${suffixOf(BREACHED)}:42`)));
    const refused = await set(BREACHED);
    assert.equal(refused.status, 400, refused.text);
    assert.deepEqual(refused.json.errors, [
      {
        pointer: '/password',
        detail: 'is known from a data breach: choose a different one, and change it wherever you use it',
      },
    ]);
    const [request] = range.asked;
    assert.equal(range.asked.length, 1);
    assert.deepEqual([request?.method, request?.url], ['GET', `/range/${sha1(BREACHED).slice(0, 5)}`]);
    assert.equal(request?.headers['add-padding'], 'true');
    assert.doesNotMatch(JSON.stringify(request?.rawHeaders), new RegExp(suffixOf(BREACHED), 'i'));
  });

  it('a line of padding, whose count is 0, is no finding; nor is another suffix', async () => {
    range.answers(outgoing => outgoing.end(lines(`${suffixOf(BREACHED)}:0`)));
    assert.equal((await set(BREACHED)).status, 204);
    range.answers(outgoing => outgoing.end(lines()));
    assert.equal((await set(FINE)).status, 204);
    assert.equal(range.asked.length, 1);
  });

  const failures: readonly (readonly [string, (outgoing: ServerResponse) => void])[] = [
    ['an error', outgoing => outgoing.writeHead(503).end(lines(`${suffixOf(BREACHED)}:42`))],
    ['a redirect', outgoing => outgoing.writeHead(302, { location: '/elsewhere' }).end()],
    ['a closed connection', outgoing => outgoing.destroy()],
    ['an endless answer', outgoing => outgoing.end('x'.repeat(1_000_000))],
  ];
  for (const [what, answer] of failures) {
    it(`${what} counts as not found: the password is set`, async () => {
      range.answers(answer);
      assert.equal((await set(BREACHED)).status, 204);
      assert.equal(range.asked.length, 1);
    });
  }

  it('no answer until its part of the timeout of outbound requests counts as not found', async () => {
    range.answers(() => {});
    const impatient = await serverWith('127.0.0.1', IMPATIENT);
    assert.equal(await impatient.services.newPasswords.check(BREACHED, {}), undefined);
    assert.equal(range.asked.length, 1);
    await impatient.close();
  });

  it('is not asked at sign-in, nor about a password that has another fault', async () => {
    range.answers(outgoing => outgoing.end(lines()));
    assert.equal((await set(PASSWORD)).status, 204);
    range.answers(outgoing => outgoing.end(lines(`${suffixOf(PASSWORD)}:42`)));
    const login = { grant_type: 'password', username: 'alice', password: PASSWORD };
    assert.equal((await token(server, login)).status, 200);
    assert.equal((await set('Password123')).status, 400);
    assert.equal(range.asked.length, 0);
  });

  it('a sign-up is counted before it is asked: a stranger makes the server ask as often as for a mail', async () => {
    range.answers(outgoing => outgoing.end(lines(`${suffixOf(BREACHED)}:42`)));
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-outbox-'));
    const open = await startTestServer({
      applications: [anApplication({ sign_up: true })],
      env: {
        ...{ PASSWORD_RANGE_URL: range.url, GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1' },
        MAIL_URL: `file:${folder}`,
      },
      clock: fixedClock(),
    });
    try {
      const visitor = new Visitor(open.base);
      const login = await visitor.follow(authorizationUrl(open));
      const [, path = ''] = /href="(\/signup\?[^"]+)"/.exec(login.text) ?? [];
      const form = formWith(await visitor.go(open.base + path), 'email');
      const signUp = (password: string) => visitor.send(form, { email: 'new@example.com', password });
      assert.equal((await signUp('Password123')).status, 400);
      assert.equal(range.asked.length, 0, 'a common one');
      const refused = await signUp(BREACHED);
      assert.deepEqual([refused.status, range.asked.length], [400, 1]);
      assert.match(refused.text, /data breach/);
      for (let times = 1; times < LIMITS.mailAddress.attempts; times++)
        assert.equal((await signUp(BREACHED)).status, 400);
      range.asked.length = 0;
      for (let times = 0; times < 3; times++) assert.equal((await signUp(BREACHED)).status, 429);
      assert.equal(range.asked.length, 0);
    } finally {
      await open.close();
      rmSync(folder, { recursive: true });
    }
  });

  it('at a private address that GATEHOUSE_OUTBOUND_ALLOW does not name is not reached: the password is set', async () => {
    range.answers(outgoing => outgoing.end(lines(`${suffixOf(BREACHED)}:42`)));
    const guarded = await serverWith('');
    try {
      assert.equal(await guarded.services.newPasswords.check(BREACHED, {}), undefined);
      assert.equal(range.asked.length, 0);
    } finally {
      await guarded.close();
    }
  });
});
