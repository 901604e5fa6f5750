import assert from 'node:assert/strict';
import { createHmac, type KeyObject } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { freePort } from '../../../scripts/free-port.ts';
import { createMailSender } from '../../../src/notify/mail/job.ts';
import { fixedClock } from '../../build/clock.ts';
import { eventsOf } from '../../build/events.ts';
import { aClient, anApplication, aUser, PASSWORD } from '../../build/fixture.ts';
import { listen } from '../../build/listen.ts';
import { codeIn } from '../../build/mail-people.ts';
import { mailsIn } from '../../build/mailbox.ts';
import { anOperatorClient } from '../../build/operator.ts';
import { discovery, halfHash, openRecordedProvider, type Recording, signRs256 } from '../../build/recorded-provider.ts';
import { suitePart } from '../../build/suite-part.ts';
import { IMPATIENT, startTestServer, suiteServer } from '../../build/test-server.ts';
import { answerIn, authorizationUrl, formWith, type Seen, Visitor } from '../../build/visitor.ts';
import { aProvider, buttonOf, federated, toAnswer } from './federated.ts';

const hasSession = (visitor: Visitor) => visitor.cookies.has('gatehouse_session');

describe('a sign-in that is kept waiting', () => {
  const clock = fixedClock(Math.floor(Date.now() / 1000));
  const outbox = mkdtempSync(join(tmpdir(), 'gatehouse-outbox-'));
  const { server, corp } = federated({
    application: { require_verified_email: true },
    users: [aUser({ email_verified: false })],
    env: { MAIL_URL: `file:${outbox}` },
    clock,
  });

  it('replay: it opens no second session after the record of the first one, however often it went to a provider', async () => {
    const visitor = new Visitor(server.base);
    const login = await visitor.follow(authorizationUrl(server));
    let page = await visitor.send(formWith(login, 'password'), { username: 'alice', password: PASSWORD });
    const sender = createMailSender(server.services);
    for (let times = 0; times < 2; times++) await sender.run();
    const mail = mailsIn(outbox).at(-1) ?? assert.fail('no mail');
    const done = await visitor.send(formWith(page, 'code'), { code: codeIn(mail) });
    assert(answerIn(done).code, done.text);
    assert(visitor.cookies.delete('gatehouse_session'));

    for (let times = 0; times < 3 && page.status === 200; times++) {
      const pending = new URL(page.url).searchParams.get('pending') ?? '';
      const button = { action: `${server.base}/login/provider/corp`, fields: new URLSearchParams({ pending }) };
      const gone = await visitor.send(button);
      const state = new URL(gone.location ?? '').searchParams.get('state') ?? '';
      clock.advance(1500);
      const refused = new URLSearchParams({ error: 'access_denied', state, iss: corp.issuer });
      page = await visitor.follow(`${server.base}/login/provider/corp/callback?${refused}`);
    }
    await server.services.store.purge(clock.now(), 1000);
    const pending = new URL(page.url).searchParams.get('pending') ?? '';
    const action = `${server.base}/login/verify-email`;
    await visitor.send({ action, fields: new URLSearchParams({ pending, action: 'continue' }) });
    assert(!hasSession(visitor));
    assert.equal(page.status, 400, 'it has expired');
  });
});

/** Issue "Attacks that must fail": answers for another tab, browser, provider, application; RFC 9700 sections 4.4, 4.5 and 4.7. */
describe('answers that are for somebody else', () => {
  const { server, corp } = federated();
  before(async () => {
    corp.person = { sub: 'mallory' };
    const other = { ...aProvider(corp.issuer), id: 'other', name: 'Other' } as const;
    await server.provision({
      providers: [other],
      applications: [
        anApplication({ providers: ['corp', 'other'] }),
        anApplication({ code: 'blog', name: 'Blog', providers: ['corp'], clients: [aClient()] }),
      ],
    });
  });

  async function answerOf(visitor: Visitor, { id = 'corp', app = 'shop' } = {}): Promise<string> {
    const url = authorizationUrl(server, { scope: 'openid', idp_hint: id }, app);
    return toAnswer(server, await visitor.follow(url));
  }
  const aBrowser = () => new Visitor(server.base);
  const isRefused = (seen: Seen) => {
    assert.equal(seen.status, 400, seen.text);
    assert.match(seen.text, /has expired, or belongs to another browser/);
  };

  it('login CSRF: the answer of an attacker signs nobody in in the browser of a victim', async () => {
    const callback = await answerOf(aBrowser());
    const fresh = aBrowser();
    isRefused(await fresh.follow(callback));
    assert(!hasSession(fresh));
    // One that waits for an answer of its own has cookies, and other ones.
    const waiting = aBrowser();
    await answerOf(waiting);
    isRefused(await waiting.follow(callback));
    assert(!hasSession(waiting));
    // One that is signed in stays who it is.
    const victim = aBrowser();
    const page = await victim.follow(authorizationUrl(server));
    await victim.send(formWith(page, 'password'), { username: 'alice', password: PASSWORD });
    const session = victim.cookies.get('gatehouse_session');
    isRefused(await victim.follow(callback));
    assert.equal(victim.cookies.get('gatehouse_session'), session);
  });

  it('state fixation: a state that an attacker chose, or none, is nobody’s', async () => {
    const visitor = aBrowser();
    const callback = new URL(await answerOf(visitor));
    for (const state of ['', 'AAAAAAAAAAAAAAAAAAAAAA', 'x'.repeat(5000), '__proto__']) {
      const forged = new URL(callback);
      forged.searchParams.set('state', state);
      isRefused(await visitor.follow(forged.href));
    }
    callback.searchParams.delete('state');
    isRefused(await visitor.follow(callback.href));
    assert(!hasSession(visitor));
  });

  it('replay: an answer is taken once, also after its sign-in has ended', async () => {
    const visitor = aBrowser();
    const cookies = new Map(visitor.cookies);
    const callback = await answerOf(visitor);
    const before = new Map(visitor.cookies);
    assert(answerIn(await visitor.follow(callback)).code);
    isRefused(await visitor.follow(callback));
    const restored = aBrowser();
    for (const [name, value] of [...cookies, ...before]) restored.cookies.set(name, value);
    isRefused(await restored.follow(callback));
    assert(!hasSession(restored), 'also with the cookies of before');
  });

  it('two tabs: each answer goes to the sign-in of its own tab, whichever comes first', async () => {
    const visitor = aBrowser();
    const first = await answerOf(visitor, { app: 'shop' });
    const second = await answerOf(visitor, { app: 'blog' });
    const atBlog = answerIn(await visitor.follow(second));
    const atShop = answerIn(await visitor.follow(first));
    assert.equal(atBlog.iss, server.at('blog'));
    assert.equal(atShop.iss, server.at('shop'));
  });

  it('mix-up: the answer of one provider is not taken at the address of another (RFC 9700 section 4.4)', async () => {
    const visitor = aBrowser();
    const callback = await answerOf(visitor, { id: 'other' });
    isRefused(await visitor.follow(callback.replace('/provider/other/', '/provider/corp/')));
    assert(!hasSession(visitor));
    assert(answerIn(await visitor.follow(callback)).code, 'and still good at its own');
  });

  it('mix-up: an answer with the issuer of another provider is refused (RFC 9207)', async () => {
    const visitor = aBrowser();
    const callback = new URL(await answerOf(visitor));
    assert.equal(callback.searchParams.get('iss'), corp.issuer, 'the provider sends it');
    const asked = corp.count('/token');
    for (const iss of ['https://evil.example', `${corp.issuer}/`, '']) {
      const other = aBrowser();
      const own = new URL(await answerOf(other));
      own.searchParams.set('iss', iss);
      assert.match((await other.follow(own.href)).text, /could not be verified/);
      assert(!hasSession(other));
    }
    callback.searchParams.delete('iss');
    assert.match((await visitor.follow(callback.href)).text, /could not be verified/, 'it says that it sends one');
    assert.equal(corp.count('/token'), asked, 'no code was sent anywhere');
  });

  it('the code of another sign-in fails by PKCE and nonce (code injection, RFC 9700 section 4.5)', async () => {
    const stolen = new URL(await answerOf(aBrowser())).searchParams.get('code') ?? '';
    const visitor = aBrowser();
    const own = new URL(await answerOf(visitor));
    own.searchParams.set('code', stolen);
    assert.match((await visitor.follow(own.href)).text, /refused the sign-in/);
    assert(!hasSession(visitor));
  });

  it('a parameter that comes twice is refused', async () => {
    const visitor = aBrowser();
    const callback = await answerOf(visitor);
    assert.match((await visitor.follow(`${callback}&code=another`)).text, /could not be verified/);
    assert(!hasSession(visitor));
  });

  it('a sign-in for one application ends at no other, wherever RelayState or state say it goes (open redirect)', async () => {
    const visitor = aBrowser();
    const callback = await answerOf(visitor);
    const more = new URLSearchParams({
      RelayState: 'https://evil.example',
      redirect_uri: 'https://evil.example',
      app: 'blog',
    });
    const seen = await visitor.follow(`${callback}&${more}`);
    assert.match(seen.location ?? '', /^https:\/\/client\.example\/cb\?/);
    assert.equal(answerIn(seen).iss, server.at('shop'));
  });

  it('an answer for an application that is gone meanwhile opens no session', async () => {
    const visitor = aBrowser();
    const callback = await answerOf(visitor);
    await server.provision({ applications: [anApplication({ providers: [], local_sign_in: true })] });
    const seen = await visitor.follow(callback);
    await server.provision({ applications: [anApplication({ providers: ['corp', 'other'] })] });
    assert(answerIn(seen).code || seen.status >= 400, 'the provider is still one of the deployment');
  });

  it('what the browser brings shuts no provider for others: errors of the address are hearsay', async () => {
    for (let times = 0; times < 5; times++) {
      const visitor = aBrowser();
      const callback = new URL(await answerOf(visitor));
      callback.searchParams.delete('code');
      callback.searchParams.set('error', 'temporarily_unavailable');
      assert.match((await visitor.follow(callback.href)).text, /Corp didn’t answer/);
    }
    const page = await aBrowser().follow(authorizationUrl(server));
    assert.match(page.text, /Continue with Corp/);
  });

  it('an error is told by its code, and never by what the provider or an attacker wrote', async () => {
    const visitor = aBrowser();
    const callback = new URL(await answerOf(visitor));
    callback.searchParams.delete('code');
    callback.searchParams.set('error', '<script>alert(1)</script>');
    callback.searchParams.set('error_description', 'Call +1 900 and tell your password');
    const seen = await visitor.follow(callback.href);
    assert.doesNotMatch(seen.text, /alert\(1\)|\+1 900/);
    assert.doesNotMatch(server.logged(), /alert\(1\)|\+1 900/);
    const events = await eventsOf(server, { types: ['provider.sign_in.failed'] });
    assert.doesNotMatch(JSON.stringify(events), /alert\(1\)|\+1 900/);
  });

  it('the form that begins is taken from this server alone, and no link of another site begins one', async () => {
    const visitor = aBrowser();
    const form = buttonOf(await visitor.follow(authorizationUrl(server)), 'corp');
    assert.equal((await visitor.send(form, {}, { origin: 'https://evil.example' })).status, 403);
    assert.equal((await aBrowser().send(form)).status, 400, 'the sign-in of another browser');
  });
});

/** OIDC Core section 3.1.3.7, RFC 8725, and section 3.1.3.8. */
describe('ID tokens that do not hold', () => {
  const good: Recording = {
    documents: { ...discovery(), '/me': { sub: 'holds', name: 'Holds' } },
    tokenPath: '/token',
    tokens: { access_token: 'the-token', token_type: 'Bearer' },
    claims: { iss: '{base}', sub: 'holds', at_hash: halfHash('the-token') },
  };
  let recording = good;
  const server = suiteServer({ env: { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1' }, applications: [], users: [] });
  const provider = suitePart(() => openRecordedProvider(() => recording));
  before(async () => {
    await server.provision({
      providers: [aProvider(provider.base, { max_age: null })],
      applications: [anApplication({ providers: ['corp'] })],
    });
  });
  async function signIn(made: Recording) {
    recording = made;
    const visitor = new Visitor(server.base);
    const { location = '' } = await visitor.follow(authorizationUrl(server, { idp_hint: 'corp' }));
    return { visitor, seen: await visitor.follow(provider.answerTo(location)) };
  }
  const withClaims = (claims: object): Recording => ({ ...good, claims: { ...good.claims, ...claims } });
  const signedBy = (sign: NonNullable<Recording['sign']>): Recording => ({ ...good, sign });
  const unsigned = (header: object, claims: object) =>
    `${[header, claims].map(part => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')}.`;
  const withMac = (secret: string | Buffer) => (header: object, claims: object) => {
    const text = unsigned({ ...header, alg: 'HS256' }, claims).slice(0, -1);
    return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
  };
  const pemOf = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' });

  it('one that holds is taken, so that the others fail for their own reason', async () => {
    const { seen } = await signIn(good);
    assert(answerIn(seen).code, seen.text);
  });

  const bad: Readonly<Record<string, () => Recording>> = {
    'alg none': () => signedBy((header, claims) => unsigned({ ...header, alg: 'none' }, claims)),
    'alg None with a signature': () =>
      signedBy((header, claims, key) => signRs256({ ...header, alg: 'None' }, claims, key)),
    'HS256 with the client secret': () => signedBy(withMac('the secret of gatehouse at corp')),
    'HS256 with the key as the secret': () =>
      signedBy((header, claims, key) => withMac(pemOf(key) as string)(header, claims)),
    'no signature': () => signedBy((header, claims) => unsigned(header, claims)),
    'a signature of something else': () =>
      signedBy((header, claims, key) =>
        signRs256(header, claims, key).replace(
          /\.[^.]*\./,
          `.${Buffer.from(JSON.stringify({ ...claims, sub: 'other' })).toString('base64url')}.`,
        ),
      ),
    'an embedded key': () =>
      signedBy((header, claims, key) => signRs256({ ...header, kid: 'unknown', jwk: {} }, claims, key)),
    'crit that nobody knows': () =>
      signedBy((header, claims, key) => signRs256({ ...header, crit: ['x'], x: 1 }, claims, key)),
    'another audience': () => withClaims({ aud: 'another' }),
    'no audience': () => withClaims({ aud: null, azp: 'gatehouse', audience: 'gatehouse' }),
    'several audiences without azp': () => withClaims({ aud: ['gatehouse', 'another'] }),
    'azp of another client': () => withClaims({ azp: 'another' }),
    'another issuer': () => withClaims({ iss: 'https://evil.example' }),
    'the issuer with a slash': () => withClaims({ iss: '{base}/' }),
    'another nonce (replay of an ID token)': () => withClaims({ nonce: 'another' }),
    'no nonce': () => withClaims({ nonce: null }),
    'an end that has passed': () => withClaims({ exp: Math.floor(Date.now() / 1000) - 120 }),
    'no end': () => withClaims({ exp: null }),
    'a beginning in the future': () => withClaims({ nbf: Math.floor(Date.now() / 1000) + 600 }),
    'at_hash of another token': () => withClaims({ at_hash: halfHash('another') }),
    'no subject': () => withClaims({ sub: '' }),
    'a subject that is too long': () => ({
      ...withClaims({ sub: 'x'.repeat(256) }),
      documents: { ...good.documents, '/me': { sub: 'x'.repeat(256) } },
    }),
    'a subject that is no text': () => withClaims({ sub: 7 }),
    'userinfo of somebody else (section 5.3.2)': () => ({
      ...good,
      documents: { ...good.documents, '/me': { sub: 'somebody else' } },
    }),
    'no ID token at all': () => ({ ...good, claims: undefined }) as unknown as Recording,
  };
  for (const [name, made] of Object.entries(bad)) {
    it(name, async () => {
      const { visitor, seen } = await signIn(made());
      assert(!hasSession(visitor), name);
      assert.match(seen.text, /could not be verified/, seen.text);
    });
  }

  it('a token endpoint that sends invalid_client is told as that, and its words are not', async () => {
    const { claims: _, ...unsigned } = good;
    const tokens = { error: 'invalid_client', error_description: 'secret 1234 is wrong' };
    const { seen } = await signIn({ ...unsigned, tokenStatus: 401, tokens });
    assert.match(seen.text, /Corp refused the sign-in/);
    assert.match(server.logged(), /invalid_client/);
    assert.doesNotMatch(server.logged(), /secret 1234/);
  });

  it('metadata that name another issuer are not used (Discovery section 4.3)', async () => {
    const documents = discovery({ issuer: 'https://accounts.google.com' });
    const liar = await openRecordedProvider({ ...good, documents });
    after(() => liar.close());
    await server.provision({
      providers: [{ ...aProvider(liar.base), id: 'liar', name: 'Liar' }],
      applications: [anApplication({ providers: ['corp', 'liar'] })],
    });
    const visitor = new Visitor(server.base);
    const seen = await visitor.follow(authorizationUrl(server, { idp_hint: 'liar' }));
    assert.match(seen.text, /Liar could not be verified/);
    const paths = liar.asked().map(({ path }) => path);
    assert.deepEqual(paths, ['/.well-known/openid-configuration']);
  });
});

/** SSRF through issuer, JWKS, token, userinfo and picture; documents that are too long, or never come. */
describe('addresses of a provider', () => {
  let inner: Server;
  let innerPort: number;
  let connections = 0;
  let count = 0;
  const silent = new Set<Server>();
  const held = new Set<Socket>();
  const server = suiteServer({
    env: { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1' },
    applications: [],
    users: [aUser()],
  });
  before(async () => {
    innerPort = await freePort();
    // A service inside that only this machine reaches, and nobody allowed.
    inner = createServer(socket => {
      connections++;
      socket.destroy();
    });
    await new Promise<void>(listening => inner.listen(innerPort, '127.0.0.2', listening));
  });
  after(() => {
    inner.close();
    hangUp();
    for (const each of silent) each.close();
  });
  const document = (over: object) => ({
    ...discovery(over),
    '/me': { sub: 'x', picture: `http://127.0.0.2:${innerPort}/picture.png` },
  });
  /** Under a name of its own: one that has failed several times in a row is not asked any more. */
  async function register(issuer: string): Promise<string> {
    const id = `p${++count}`;
    await server.provision({
      providers: [{ ...aProvider(issuer), id }],
      applications: [anApplication({ providers: [id] })],
    });
    return id;
  }
  async function signIn(over: object, more: Partial<Recording> = {}) {
    const provider = await openRecordedProvider({
      documents: document(over),
      tokenPath: '/token',
      tokens: { access_token: 'a', token_type: 'Bearer' },
      claims: { iss: '{base}', sub: 'x' },
      ...more,
    });
    after(() => provider.close());
    const id = await register(provider.base);
    const visitor = new Visitor(server.base);
    const { location = '', text } = await visitor.follow(authorizationUrl(server, { idp_hint: id }));
    if (!location.startsWith(provider.base)) return { visitor, text, provider };
    const seen = await visitor.follow(provider.answerTo(location));
    return { visitor, text: seen.text, provider, seen };
  }

  it('an issuer inside is refused when it is set, and not reached if it is stored all the same', async () => {
    const api = await anOperatorClient(server);
    const own = `http://127.0.0.2:${innerPort}`;
    for (const issuer of [own, 'http://169.254.169.254', 'https://[::1]', 'https://10.0.0.1']) {
      const refused = await api.ask('POST', '/providers', { id: 'inside', type: 'oidc', issuer, client_id: 'x' });
      assert.equal(refused.status, 400, issuer);
    }
    const id = await register(own);
    const visitor = new Visitor(server.base);
    assert.match((await visitor.follow(authorizationUrl(server, { idp_hint: id }))).text, /didn’t answer/);
    assert.equal(connections, 0);
  });

  it('nor are jwks_uri, token_endpoint and userinfo_endpoint that the metadata of a provider name', async () => {
    for (const name of ['jwks_uri', 'token_endpoint', 'userinfo_endpoint']) {
      const { visitor, text } = await signIn({ [name]: `http://127.0.0.2:${innerPort}/x` });
      assert.match(text, /didn’t answer/, name);
      assert(!hasSession(visitor));
    }
    for (const name of ['jwks_uri', 'token_endpoint']) {
      const { text } = await signIn({ [name]: 'file:///etc/passwd' });
      assert.match(text, /didn’t answer|could not be verified/, name);
    }
    assert.equal(connections, 0);
  });

  it('a picture is an address that is stored, and never fetched', async () => {
    const { seen } = await signIn({});
    assert(seen && answerIn(seen).code);
    const account = await server.services.store.findLinkedAccount({ provider: `p${count}`, subject: 'x' });
    assert.equal(account?.picture, `http://127.0.0.2:${innerPort}/picture.png`);
    assert.equal(connections, 0);
  });

  it('addresses of scripts are no place to send a browser to', async () => {
    for (const authorization_endpoint of ['javascript:alert(1)', 'data:text/html,x', '//evil.example', 7]) {
      assert.match((await signIn({ authorization_endpoint })).text, /could not be verified|didn’t answer/);
    }
  });

  it('redirects are not followed', async () => {
    const redirecting = await listen((_, outgoing) => {
      outgoing.writeHead(302, { location: `http://127.0.0.2:${innerPort}/` });
      outgoing.end();
    });
    after(redirecting.close);
    const { text } = await signIn({ token_endpoint: `${redirecting.origin}/` });
    assert.match(text, /didn’t answer|could not be verified/);
    assert.equal(connections, 0);
  });

  it('5 MB are not read, of whatever document', async () => {
    const large = { padding: 'x'.repeat(5_000_000) };
    assert.match((await signIn(large)).text, /didn’t answer/);
    const recorded = { tokens: { access_token: 'a', token_type: 'Bearer', ...large } };
    assert.match((await signIn({}, recorded)).text, /didn’t answer/);
  });

  async function openSilent() {
    const port = await freePort();
    const never = createServer(socket => {
      held.add(socket);
    });
    silent.add(never);
    const arrived = new Promise<void>(connected => never.once('connection', () => connected()));
    await new Promise<void>(listening => never.listen(port, '127.0.0.1', listening));
    return { issuer: `http://127.0.0.1:${port}`, arrived };
  }
  const hangUp = () => {
    for (const socket of held) socket.destroy();
  };

  it('a provider that never answers delays nobody else; who waits reads that it did not answer', async () => {
    const { issuer, arrived } = await openSilent();
    const id = await register(issuer);
    const waiting = new Visitor(server.base).follow(authorizationUrl(server, { idp_hint: id }));
    await arrived;
    let isAnswered = false;
    void waiting.then(() => {
      isAnswered = true;
    });
    const visitor = new Visitor(server.base);
    const page = await visitor.follow(authorizationUrl(server));
    const signedIn = await visitor.send(formWith(page, 'password'), { username: 'alice', password: PASSWORD });
    assert(answerIn(signedIn).code, signedIn.text);
    assert(!isAnswered, 'the other one still waits');
    hangUp();
    assert.match((await waiting).text, /Corp didn’t answer/);
  });

  it('it is waited for until the timeout of outbound requests', async () => {
    const { issuer } = await openSilent();
    const impatient = await startTestServer({
      env: { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1', ...IMPATIENT },
      applications: [],
    });
    const applications = [anApplication({ providers: ['corp'] })];
    await impatient.provision({ providers: [aProvider(issuer)], applications });
    const visitor = new Visitor(impatient.base);
    const seen = await visitor.follow(authorizationUrl(impatient, { idp_hint: 'corp' }));
    assert.match(seen.text, /Corp didn’t answer/);
    await impatient.close();
  });

  it('of many people who go to a provider that never answers, so many wait and the others are told at once', async () => {
    const { createProviderHealth } = await import('../../../src/people/federation/health.ts');
    const { createWaitLimit } = await import('../../../src/platform/outbound/wait-limit.ts');
    const health = createProviderHealth({ now: () => 0 }, createWaitLimit(128));
    const held = Array.from({ length: 64 }, () => health.tryAcquire('corp'));
    assert(!held.includes(undefined));
    assert.equal(health.tryAcquire('corp'), undefined);
    const others = Array.from({ length: 64 }, () => health.tryAcquire('other'));
    assert(!others.includes(undefined), 'another provider has its own');
    assert.equal(health.tryAcquire('third'), undefined, 'half of what the server handles stays for everybody else');
    held[0]?.();
    assert(health.tryAcquire('third'));
  });
});
