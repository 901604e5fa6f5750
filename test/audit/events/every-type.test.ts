import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type EventType, eventTypes } from '../../../src/events.ts';
import { createMailSender } from '../../../src/notify/mail/job.ts';
import { newMail } from '../../../src/notify/mail/queue.ts';
import { changeAddress } from '../../build/changed-address.ts';
import {
  ALICE,
  aCode,
  aPkcePair,
  basic,
  introspect,
  redeem,
  refresh,
  revoke,
  token,
  userinfo,
  WEB,
} from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { gatehouse } from '../../build/command.ts';
import { inConsole } from '../../build/console.ts';
import { directSql } from '../../build/direct-sql.ts';
import { eventsOf } from '../../build/events.ts';
import { aClient, anApplication, aUser, PASSWORD } from '../../build/fixture.ts';
import { mailsIn } from '../../build/mailbox.ts';
import { actAsModernClient } from '../../build/modern-client.ts';
import { anOperatorClient } from '../../build/operator.ts';
import { bob, logIn } from '../../build/people.ts';
import { startTestServer, TEST_SECRET, type TestServer } from '../../build/test-server.ts';
import { authorizationUrl, formWith, signIn, Visitor } from '../../build/visitor.ts';
import { aShop, exchange, forOrders, STOCK } from '../../oauth/token-exchange/token-exchange-fixture.ts';
import { openOldSystem, SIGNING_SECRET } from '../../people/password-check/old-system.ts';
import { actAcrossIssuers } from './across-issuers.ts';
import { actAsPerson } from './as-person.ts';

/** What takes an endpoint that fails for a day: test/jobs makes it happen. */
const ELSEWHERE: readonly EventType[] = ['webhook.paused'];

describe('every type of event happens, and none holds a secret', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-test-'));
  const clock = fixedClock(Math.floor(Date.now() / 1000));
  const secrets = new Map<string, string>();
  let server: TestServer;
  let happened: Set<string>;
  let stored: string;

  before(async () => {
    const env = { MAIL_URL: `file:${join(folder, 'outbox')}`, GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1' };
    server = await startTestServer({ clock, users: [aUser(), bob()], env });
    await apply();
    await moveFromElsewhere();
    await asUser();
    keep(await actAsPerson(server, clock));
    await byMail();
    await asClient();
    keep(await actAsModernClient(server));
    keep(await actAcrossIssuers(server, clock.now()));
    await asOperator();
    await fail();
    happened = new Set((await eventsOf(server)).map(({ type }) => type));
    stored = JSON.stringify(await directSql(server).query('SELECT * FROM events'));
  });
  after(async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  function keep(found: Record<string, string>): void {
    for (const [name, secret] of Object.entries(found)) {
      assert(secret?.length >= 8, `no ${name}`);
      secrets.set(name, secret);
    }
  }

  async function command(...args: string[]): Promise<string> {
    const { code, out, err } = await gatehouse(server, ...args);
    assert.equal(code, 0, err);
    return out;
  }

  /** The apply file and the other commands. */
  async function apply(): Promise<void> {
    const file = join(folder, 'apply.json');
    const run = async (content: object, ...options: string[]) => {
      writeFileSync(file, JSON.stringify(content));
      return command('apply', ...options, file);
    };
    const carol = aUser({ username: 'carol', email: 'carol@example.com', phone_number: null });
    const till = { client_id: 'till', client_secret: 'secret-of-the-till' };
    await run({
      applications: [anApplication({ code: 'bank', clients: [aClient(till), { client_name: 'Door' }] })],
      users: [carol],
    });
    const next = anApplication({
      code: 'bank',
      name: 'Bank',
      clients: [aClient({ ...till, client_secret: 'next-secret-of-the-till', client_name: 'Till' })],
    });
    const changed = { ...carol, nickname: 'Caro', password: 'the next password of carol', disabled: true };
    await run({ applications: [next], users: [changed] }, '--reset-passwords');
    await run({ users: [{ ...changed, disabled: false }] });
    await command('clients', 'delete', '--app', 'bank', '--client', 'till');
    await command('sessions', 'end', '--user', 'carol');
    keep({
      'secret of a file': till.client_secret,
      'changed secret': 'next-secret-of-the-till',
      'changed password': changed.password,
    });
    await server.services.registry.refresh();
  }

  async function asUser(): Promise<void> {
    const visitor = new Visitor(server.base);
    const page = await visitor.follow(authorizationUrl(server));
    await visitor.send(formWith(page, 'password'), {
      username: 'password-typed-as-name',
      password: 'wrong-password-of-test',
    });
    await logIn(visitor, page);
    keep(Object.fromEntries([...visitor.cookies].map(([name, value]) => [`cookie ${name}`, value])));
    keep({ password: PASSWORD, 'wrong password': 'wrong-password-of-test', 'wrong name': 'password-typed-as-name' });
    const consent = await visitor.follow(authorizationUrl(server, { prompt: 'consent', state: 'state-of-the-client' }));
    keep({ state: 'state-of-the-client', 'pending request': formWith(consent, 'sub').fields.get('pending') ?? '' });
    await visitor.send(formWith(consent, 'sub'), { action: 'allow' });
    const account = await visitor.follow(`${server.base}/account/access`);
    await visitor.send(formWith(account, 'withdraw'), { app: 'shop', withdraw: 'web' });
    await visitor.send({ action: `${server.base}/logout`, fields: new URLSearchParams() });
  }

  /** An invitation that is sent again, and a mail that nobody takes. */
  /** With the password of an old system. */
  async function moveFromElsewhere(): Promise<void> {
    const old = await openOldSystem({ olga: { password: 'olga knew it', claims: { sub: '17' } } });
    await server.provision({
      providers: [{ id: 'old', type: 'password-check', url: old.url, signing_secret: SIGNING_SECRET }],
      applications: [anApplication({ code: 'moving', name: 'Moving', providers: ['old'] })],
    });
    await signIn(server, {}, { username: 'olga', password: 'olga knew it', app: 'moving' });
    await old.close();
    keep({ 'password of an old system': 'olga knew it', 'signing secret': SIGNING_SECRET });
  }

  async function byMail(): Promise<void> {
    const { services } = server;
    const owner = await anOperatorClient(server);
    const { sub } = (await owner.ask('POST', '/invitations', { email: 'guest@example.com' })).json;
    await owner.ask('POST', `/users/${sub}/invitation`);
    const content = { subject: 'x', text: 'x', html: 'x', name: 'test', to: 'recipient-that-is-no-address' };
    await services.store.addMail(newMail(services, content), 10);
    await createMailSender(services).run();
    const links = mailsIn(join(folder, 'outbox')).flatMap(mail => mail.links);
    const tokens = links.flatMap(link => new URL(link).searchParams.get('token') ?? []);
    assert(tokens.length > 0, 'no link with a token');
    keep(Object.fromEntries(tokens.map((token, each) => [`link ${each}`, token])));
    keep({ recipient: content.to });
  }

  async function exchanged(): Promise<Record<string, string>> {
    await server.provision({ applications: [aShop({ code: 'chain', name: 'Chain' })] });
    const chain = { ...server, at: () => server.at('chain') };
    const subject = await forOrders(chain);
    const { access_token } = (await exchange(chain, subject, { resource: STOCK })).json;
    return { 'subject token': subject, 'exchanged token': access_token };
  }

  async function asClient(): Promise<void> {
    const { verifier, challenge } = aPkcePair();
    const code = await aCode(server, {
      code_challenge: challenge,
      code_challenge_method: 'S256',
      nonce: 'nonce-of-the-client',
    });
    const set = (await redeem(server, code, { code_verifier: verifier })).json;
    await refresh(server, set.refresh_token);
    const next = (await refresh(server, set.refresh_token)).json;
    clock.advance(60);
    await refresh(server, set.refresh_token);
    await redeem(server, code, { code_verifier: verifier });
    const other = (await token(server, { grant_type: 'password', ...ALICE })).json;
    await introspect(server, { token: other.access_token });
    await userinfo(server, other.access_token);
    keep(await exchanged());
    await revoke(server, { token: other.access_token });
    await revoke(server, { token: other.refresh_token });
    keep({
      code,
      verifier,
      nonce: 'nonce-of-the-client',
      'server secret': TEST_SECRET,
      'client secret': 'web-secret-1',
    });
    keep({ 'access token': set.access_token, 'refresh token': set.refresh_token, successor: next.refresh_token });
    keep({
      'id token': set.id_token,
      'revoked token': other.access_token,
      'revoked refresh token': other.refresh_token,
    });
    await redeem(server, 'gac_wrong-code-of-test', {}, { auth: WEB });
    await introspect(server, { token: 'x' }, { auth: basic('web', 'wrong-secret-of-test') });
    await introspect(server, { token: 'x' }, { auth: basic('secret-typed-as-client', 'x') });
    keep({
      'wrong code': 'wrong-code-of-test',
      'wrong secret': 'wrong-secret-of-test',
      'wrong client': 'secret-typed-as-client',
    });
  }

  async function asOperator(): Promise<void> {
    const owner = await anOperatorClient(server);
    keep({ 'API key': owner.key });
    const ask = async (method: string, path: string, body?: unknown) => {
      const { status, json, text } = await owner.ask(method, path, body);
      assert(status < 300, `${method} ${path}: ${text}`);
      return json;
    };
    const subOf = async (name: string) => (await server.services.store.findAccount(name))?.sub ?? '';
    await token(server, { grant_type: 'password', ...ALICE, username: 'bob' });
    const bobs = `/users/${await subOf('bob')}`;
    const [grant] = (await ask('GET', `${bobs}/grants`)).items;
    await ask('DELETE', `${bobs}/grants/${grant.id}`);
    keep({ 'undo link': await changeAddress(server, 'bob', 'bob@elsewhere.example') });
    await ask('GET', `${bobs}/export`);
    await ask('DELETE', `${bobs}/email_undos`);
    const [factor] = (await ask('GET', `${bobs}/factors`)).items;
    await ask('DELETE', `${bobs}/factors/${factor.id}`);
    await ask('DELETE', `/users/${await subOf('carol')}`);
    const webhook = await ask('POST', '/webhooks', { url: 'https://hooks.example/gatehouse' });
    keep({ 'secret of a webhook': webhook.secret });
    await ask('PATCH', `/webhooks/${webhook.id}`, { description: 'Orders' });
    await ask('POST', '/mail/test', { to: 'alice@example.com' });
    for (const kind of ['made', 'elsewhere']) await ask('POST', '/backups', { kind });
    const delivery = await ask('POST', `/webhooks/${webhook.id}/test`);
    await ask('POST', `/webhooks/${webhook.id}/deliveries/${delivery.id}/redeliver`);
    await ask('DELETE', `/webhooks/${webhook.id}`);
    await ask('DELETE', '/applications/bank');
    await ask('POST', '/applications/bank/restore', {});
    const made = await ask('POST', '/applications/shop/clients/web/secrets', { previous_valid_for: 3600 });
    const { items } = await ask('GET', '/applications/shop/clients/web/secrets');
    const former = items.find(({ id }: { id: string }) => id !== made.id);
    await ask('DELETE', `/applications/shop/clients/web/secrets/${former.id}`);
    await ask('POST', '/applications/shop/keys/rotate', {});
    const [key] = (await ask('GET', '/applications/shop/keys')).items;
    await ask('DELETE', `/applications/shop/keys/${key.kid}`);
    const tokens = '/applications/shop/initial_access_tokens';
    const initial = await ask('POST', tokens, { name: 'partner' });
    await ask('DELETE', `${tokens}/${initial.id}`);
    const { id: provider } = await ask('POST', '/providers', {
      ...{ id: 'other', type: 'oidc', issuer: 'http://127.0.0.1:1', client_id: 'gatehouse' },
      client_secret: 'a secret of the other provider',
    });
    await ask('PATCH', `/providers/${provider}`, { trusts_email: true });
    const [{ sub }] = (await ask('GET', '/users?q=bob')).items;
    const link = await ask('POST', `/users/${sub}/links`, { provider, subject: 'u-2' });
    await ask('DELETE', `/users/${sub}/links/${link.id}`);
    const tester = await ask('POST', '/users', { username: 'tester', password: PASSWORD });
    await ask('POST', '/operators', { username: 'tester', role: 'operator' });
    const trial = await inConsole(server, '/console/providers/other/try', 'tester');
    await trial.visitor.send(formWith(trial.seen, 'again'));
    await ask('DELETE', `/operators/${tester.sub}`);
    await ask('DELETE', `/providers/${provider}`);
    await ask('POST', '/user_attributes', { name: 'department', label: 'Department' });
    await ask('PATCH', '/user_attributes/department', { label: 'Team' });
    await ask('DELETE', '/user_attributes/department');
    const apiKey = await ask('POST', '/api_keys', { name: 'ci', role: 'auditor' });
    await ask('DELETE', `/api_keys/${apiKey.id}`);
    const operator = await ask('POST', '/operators', { username: 'bob', role: 'auditor' });
    await ask('PATCH', `/operators/${operator.sub}`, { role: 'operator' });
    await ask('DELETE', `/operators/${operator.sub}`);
    keep({
      'new client secret': made.client_secret,
      'made API key': apiKey.key,
      'initial access token': initial.initial_access_token,
    });
  }

  /** More failures than the bound of a minute. */
  async function fail(): Promise<void> {
    for (let attempt = 0; attempt < 125; attempt++) {
      await introspect(server, { token: 'x' }, { auth: basic('web', 'wrong-secret-of-test') });
    }
  }

  for (const type of eventTypes(new Map()) as readonly EventType[]) {
    const isHere = !ELSEWHERE.includes(type);
    it(isHere ? `${type} happens` : `${type} happens elsewhere: the list of exceptions is true`, () => {
      assert.equal(happened.has(type), isHere);
    });
  }

  it('holds no secret, right or wrong, in any column of any event', () => {
    assert(stored.includes('user.login.succeeded') && stored.includes('"amr'), 'the events were read');
    assert([...secrets.keys()].includes('cookie gatehouse_session'));
    for (const [name, secret] of secrets) assert(!stored.includes(secret), `${name} is in an event`);
  });

  it('holds none of the random bytes behind a secret either', () => {
    for (const [name, secret] of secrets) {
      const bytes = Buffer.from(secret.replace(/^g[a-z]{2}_/, ''), 'base64url');
      if (bytes.length < 32) continue;
      for (const encoding of ['hex', 'base64', 'base64url'] as const) {
        assert(!stored.includes(bytes.subarray(-32).toString(encoding)), `${name}, as ${encoding}`);
      }
    }
  });
});
