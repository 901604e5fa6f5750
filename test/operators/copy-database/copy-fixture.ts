import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { DatabaseSync } from 'node:sqlite';
import { after, afterEach, before } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { storeTables } from '../../../src/assembly/store-tables.ts';
import { createEventJobs } from '../../../src/audit/events/job.ts';
import { newEvent } from '../../../src/audit/events/new-event.ts';
import { sealProviderSecrets } from '../../../src/directory/providers/secrets.ts';
import { createMailSender } from '../../../src/notify/mail/job.ts';
import { newMail } from '../../../src/notify/mail/queue.ts';
import { stopAgent } from '../../../src/people/agents/queries.ts';
import { keepProviderSession } from '../../../src/people/provider-sessions/keep.ts';
import { onceKey } from '../../../src/platform/crypto/credential.ts';
import { PROGRAM } from '../../assembly/run.ts';
import { BRANDING } from '../../build/branding.ts';
import { changeAddress } from '../../build/changed-address.ts';
import { aCode, aTokenSet, get, post, refresh, revoke } from '../../build/client.ts';
import { type Ran, runCommand } from '../../build/command.ts';
import { delivered } from '../../build/delivered.ts';
import { aClient, anApplication, aUser } from '../../build/fixture.ts';
import { anOperatorClient } from '../../build/operator.ts';
import { bob, press, signedIn, tokensOf } from '../../build/people.ts';
import { createDatabase, stopOwnServer, type TestDatabase } from '../../build/postgres.ts';
import { aPublishedClient } from '../../build/published-client.ts';
import { suitePart } from '../../build/suite-part.ts';
import { startTestServer, type TestServer } from '../../build/test-server.ts';
import { authorizationUrl, formWith } from '../../build/visitor.ts';
import { aShop, exchange, forOrders, STOCK } from '../../oauth/token-exchange/token-exchange-fixture.ts';
import { account as anAccount, client } from '../../store/contract/given.ts';
import { temporaryFolder } from '../../store/temporary-folder.ts';

export const copy = (from: string, to: string, ...options: readonly string[]): Promise<Ran> =>
  runCommand(['copy', '--from', from, '--to', to, ...options]);

/** Name, rows and digest, as the table at the end has them. */
export const summary = (out: string) =>
  out
    .split('\n')
    .slice(1, storeTables().copied.length + 1)
    .map(line => line.split(/ +/));

/** The application whose APIs exchange tokens. */
export const chainOf = (server: TestServer) => ({ ...server, at: () => server.at('chain') });

/** A store with rows in every table, made once for all tests of the suite, and empty databases to copy it to. */
export function useCopyFixture() {
  const databases: TestDatabase[] = [];
  const servers: TestServer[] = [];
  const emptyPostgres = async () => {
    const database = await createDatabase();
    databases.push(database);
    return database;
  };
  const openOn = async (url: string) => {
    const server = await startTestServer({ env: { DATABASE_URL: url }, applications: [], users: [] });
    servers.push(server);
    return server;
  };

  /** A store in which everything has happened once. */
  const lived = { url: '', path: '' };
  const held = {} as Awaited<ReturnType<typeof live>>;
  const live = async (server: TestServer) => {
    const browser = await signedIn(server);
    const fromSession = await tokensOf(server, browser);
    const direct = await aTokenSet(server);
    const rotated = (await refresh(server, direct.refresh_token)).json;
    const revoked = await aTokenSet(server);
    await revoke(server, { token: revoked.refresh_token });
    await keepRevocation(server);
    const subject = await forOrders(chainOf(server));
    const exchanged = (await exchange(chainOf(server), subject, { resource: STOCK })).json.access_token as string;
    const usedId = onceKey('client assertion', ['shop', 'web', 'jti'], server.services.clock.now() + 600);
    assert(await server.services.store.useOnce(usedId, randomBytes(8)));
    const code = await aCode(server, { nonce: 'n-1' });
    const consent = await browser.follow(authorizationUrl(server, { client_id: 'asking' }));
    assert(delivered(await press(browser, consent, 'allow')).fields.code);
    const leaving = await signedIn(server, 'bob');
    await tokensOf(server, leaving);
    const codeOfEnded = delivered(await leaving.go(authorizationUrl(server, { prompt: 'none' }))).fields.code ?? '';
    await server.services.store.attemptSecondFactor({
      signIn: 'a sign-in in progress',
      sub: 'alice',
      limit: 5,
      expiresAt: server.services.clock.now() + 600,
    });
    await server.services.store.endSession(
      { sub: (await sessionOf(server, 'bob')).sub, sid: (await sessionOf(server, 'bob')).sid },
      server.services.clock.now(),
    );
    await trustBrowser(server);
    await changeEmails(server);
    await forgetPassword(server);
    await deleteAccount(server);
    await operate(server);
    const { keys } = (await get(`${server.at()}/jwks`)).json;
    const tokens = { fromSession, direct, rotated, revoked, subject, exchanged };
    return { cookies: browser.cookies, ...tokens, usedId, code, codeOfEnded, keys };
  };
  const sessionOf = async ({ services: { store, clock } }: TestServer, name: string) => {
    const account = await store.findAccount(name);
    const [session] = await store.sessionsOf(account?.sub ?? '', clock.now());
    return { sub: account?.sub ?? '', sid: session?.sid ?? '' };
  };

  const folder = suitePart(temporaryFolder);
  before(async () => {
    lived.path = folder.file('lived.db');
    lived.url = `sqlite:${lived.path}`;
    const clients = [
      aClient({ backchannel_logout_uri: 'https://client.example/bcl' }),
      aClient({ client_id: 'asking', require_consent: true }),
    ];
    const server = await startTestServer({
      env: { DATABASE_URL: lived.url },
      applications: [anApplication({ ...BRANDING, clients }), aShop({ code: 'chain', name: 'Chain' })],
      users: [aUser(), bob({ nickname: 'Ω, "quoted"\\ and {braced}' })],
    });
    Object.assign(held, await live(server));
    await server.close();
  });
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.close();
    for (const database of databases.splice(0)) await database.drop();
  });
  after(stopOwnServer);
  return { folder, databases, emptyPostgres, openOn, lived, held, sessionOf };
}

/** A replay whose revocation waits. */
async function keepRevocation({ services }: TestServer): Promise<void> {
  const { store, clock } = services;
  const [actor, details] = [{ kind: 'client', id: 'web' } as const, { revoked: true }];
  const event = newEvent(services, { type: 'code.replayed', outcome: 'denied', actor, app: 'shop', details });
  const unlessIssued = Uint8Array.of(1, 2, 3);
  await store.addRevocation({
    part: 'shop',
    grantId: 'gone',
    replayedAt: clock.now(),
    event,
    unlessIssued,
  });
}

/** A browser that skips the second factor, and the note that the user has signed in before. */
async function trustBrowser({ services }: TestServer): Promise<void> {
  const { store, clock } = services;
  const account = await store.findAccount('alice');
  const now = clock.now();
  const user = { sub: account?.sub ?? '', passwordHash: account?.passwordHash };
  const browser = {
    id: 'a browser',
    tokenHash: 'its hash',
    userAgent: 'Agent/1',
    createdAt: now,
    expiresAt: now + 600,
  };
  assert(await store.trustBrowser({ ...user, ...browser }, 10));
  const entry = newMail(services, { name: 'x', to: 'a@example.com', subject: 'x', text: 'x', html: 'x' });
  await store.addMail(entry, 100);
  const corp = { id: 'corp', type: 'oidc', domains: [], trusts_email: true, create_users: true } as const;
  const provider = {
    ...corp,
    update_profile: 'first',
    sealedSecrets: sealProviderSecrets(services, 'corp', { client_secret: 'x' }),
  } as const;
  assert.deepEqual(await store.provision([{ kind: 'provider', provider }]), { kind: 'done' });
  const linked = { provider: 'corp', subject: 'u-1', sub: user.sub, label: 'al', createdAt: now };
  const at = { outcome: 'success', actor: { kind: 'system' } } as const;
  assert.equal(await store.linkUser(linked, { event: newEvent(services, { type: 'user.linked', ...at }) }), 'linked');
  const claiming = anAccount({ emailVerified: false, isEmailClaimed: true });
  const created = newEvent(services, { type: 'user.created', ...at });
  const link = { ...linked, subject: 'u-2', sub: claiming.sub };
  assert.equal(await store.createLinkedUser(link, claiming, created), 'created');
  await keepProviderSession(services, 'pending-at-corp', { id: 'corp' }, user.sub, { idToken: 'of corp' });
  const codeSet = newEvent(services, { type: 'approval.code_set', ...at });
  await store.setApprovalCode(user.sub, { hash: 'of a code', setAt: now }, codeSet);
  await store.keepEventStreams(['syslog+tls://logs.example'], 100);
  await store.noteNewBrowser({ sub: user.sub, mail: undefined, maxPerDay: 5, requestedBy: entry.id }, now);
}

/** An address that waits for its confirmation, and a change that can be undone. Bob's: the address of alice is looked at later. */
async function changeEmails(server: TestServer): Promise<void> {
  await changeAddress(server, 'bob', 'robert@example.com');
  const visitor = await signedIn(server, 'bob');
  const page = await visitor.follow(`${server.base}/account/email`);
  await visitor.send(formWith(page, 'email'), { email: 'bobby@example.com' });
  await createMailSender(server.services).run();
  await visitor.send({ action: `${server.base}/logout`, fields: new URLSearchParams() });
}

/** A link to a new password, and a request for another that waits. */
async function forgetPassword(server: TestServer): Promise<void> {
  for (const username of ['alice', 'bob']) {
    assert.equal((await post(`${server.base}/forgot-password`, { username })).status, 200);
    if (username === 'alice') await createMailSender(server.services).run();
  }
}

const STOPPED = { type: 'agent.stopped', outcome: 'success', actor: { kind: 'system' } } as const;

/** What operators leave behind: a key, a role, an answer that can be repeated, a webhook with a delivery, and events of all that. */
async function operate(server: TestServer): Promise<void> {
  const owner = await anOperatorClient(server);
  const role = { username: 'alice', role: 'owner' };
  const operator = await owner.ask('POST', '/operators', role, { 'idempotency-key': 'once' });
  await owner.ask('POST', '/user_attributes', { name: 'team', label: 'Team' });
  const pairwise = {
    client_id: 'pairwise',
    subject_type: 'pairwise',
    redirect_uris: ['https://one.example/cb'],
  } as const;
  const buyer = { client_id: 'buyer', preset: 'machine', client_type: 'agent', owner: { user: 'alice' } };
  const agent = await owner.ask('POST', '/applications/shop/clients', buyer);
  await stopAgent(server.services.store.cold, 'shop', 'buyer', newEvent(server.services, STOPPED));
  await server.services.subjects.shownTo('shop', client(pairwise), { sub: 'u-1' });
  const webhook = await owner.ask('POST', '/webhooks', { url: 'https://receiver.example/', application: 'shop' });
  const test = await owner.ask('POST', `/webhooks/${webhook.json.id}/test`);
  const token = await owner.ask('POST', '/applications/shop/initial_access_tokens', { name: 'partner' });
  for (const { status, text } of [operator, webhook, test, token, agent]) assert.equal(status, 201, text);
  await aPublishedClient(server);
  assert.equal((await get(`${server.at()}/auth?client_id=nobody`)).status, 400);
  await server.services.refusals.flush();
  await server.services.statistics.flush();
  await createEventJobs(server.services, () => false).seal();
}

export function addAccessTokens(path: string, count: number): void {
  const connection = new DatabaseSync(path);
  const insert = connection.prepare(
    `INSERT INTO access_tokens (app, token_hash, grant_id, client_id, sub, scope, issued_at, expires_at)
     VALUES ('shop', ?, 'none', 'web', 'somebody', 'openid', 0, ?)`,
  );
  const now = Math.floor(Date.now() / 1000);
  connection.exec('BEGIN');
  for (let index = 0; index < count; index++) {
    const key = randomBytes(38);
    const end = now + (index % 100_000);
    key.writeUInt32BE(end);
    insert.run(key, end);
  }
  connection.exec('COMMIT');
  connection.close();
}

/** Starts a copy and kills it once more than so many access tokens have arrived. Answers how many had when it was dead. */
export async function killWhenCopied(from: string, target: TestDatabase, enough: number): Promise<number> {
  return killWhen(from, target.url, () => tokensInPostgres(target), enough);
}

export async function tokensInPostgres(target: TestDatabase): Promise<number> {
  const [made] = await target.query("SELECT to_regclass('access_tokens') IS NOT NULL AS made");
  return made?.made ? Number((await target.query('SELECT count(*) FROM access_tokens'))[0]?.count) : 0;
}

export async function killWhen(
  from: string,
  to: string,
  arrived: () => Promise<number>,
  enough: number,
): Promise<number> {
  const child = spawn(process.execPath, [PROGRAM, 'copy', '--from', from, '--to', to], { stdio: 'ignore' });
  while ((await arrived()) <= enough) {
    assert.equal(child.exitCode, null, 'the copy was done before it could be killed');
    await pause(10);
  }
  child.kill('SIGKILL');
  await once(child, 'exit');
  // The database finishes the statement, and only then notices that the connection is closed.
  for (let before = -1, now = await arrived(); before !== now; now = await arrived()) {
    before = now;
    await pause(100);
  }
  return arrived();
}

/** A user asks to delete the account, and could still keep it. */
async function deleteAccount({ provision, services }: TestServer): Promise<void> {
  await provision({ users: [aUser({ username: 'erin', email: 'erin@example.com', phone_number: null })] });
  const { sub = '' } = (await services.store.findAccount('erin')) ?? {};
  const event = newEvent(services, { type: 'user.disabled', outcome: 'success', actor: { kind: 'user', id: sub } });
  const now = services.clock.now();
  assert.equal(await services.store.scheduleDeletion(sub, now + 86_400, now, { event }), true);
}
