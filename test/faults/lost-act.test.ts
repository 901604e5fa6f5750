import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Act } from '../../src/audit/acts/store.ts';
import type { EventType } from '../../src/events.ts';
import type { Answered } from '../build/client.ts';
import { databaseSettings } from '../build/database-settings.ts';
import { anApplication, aUser } from '../build/fixture.ts';
import { anOperatorClient, type OperatorClient } from '../build/operator.ts';
import { createDatabase, stopOwnServer, type TestDatabase } from '../build/postgres.ts';
import { startTestServer, type TestServer } from '../build/test-server.ts';
import { aBackchannelRequest } from '../store/contract/backchannel-requests.ts';
import { aFixture, aNewPasskey, DAY, type Fixture, NOW, unique } from '../store/contract/given.ts';
import { aMail } from '../store/contract/mails.ts';
import { anAct } from '../store/contract/users-fixture.ts';
import { type DatabaseProxy, startProxy } from './proxy.ts';

const COMMIT = Buffer.from('gatehouse-commit\0');

describe('the connection is lost between the commit of an act and its answer', () => {
  let database: TestDatabase;
  let proxy: DatabaseProxy;
  let server: TestServer;
  let owner: OperatorClient;
  before(async () => {
    database = await createDatabase();
    proxy = await startProxy(databaseSettings(database.url).DATABASE_URL);
    server = await startTestServer({
      applications: [anApplication()],
      users: [aUser()],
      env: { ...databaseSettings(database.url), DATABASE_URL: proxy.url },
    });
    owner = await anOperatorClient(server);
    // The time of the last use of the key, and the built-in application, are commits of their own.
    const first = await make('/users', { username: 'first' });
    await owner.ask('POST', '/operators', { sub: first.sub, role: 'owner' });
  });
  after(async () => {
    await server?.close();
    await proxy?.close();
    await database?.drop();
    await stopOwnServer();
  });

  let made = 0;
  const fresh = () => `one${++made}`;
  const make = async (path: string, body: object): Promise<Record<string, string>> => {
    const { status, json, text } = await owner.ask('POST', path, body);
    assert.equal(status, 201, text);
    return json;
  };
  const ifMatch = async (path: string) => ({ 'if-match': (await owner.ask('GET', path)).headers.get('etag') ?? '' });
  const aUserOf = async () =>
    `/users/${(await make('/users', { username: fresh(), password: 'a long password' })).sub}`;
  const anApplicationOf = async () =>
    `/applications/${(await make('/applications', { code: fresh(), name: 'One' })).code}`;
  const aClientOf = async () => {
    const path = '/applications/shop/clients';
    const body = { client_id: fresh(), redirect_uris: ['https://one.example/'] };
    return `${path}/${(await make(path, body)).client_id}`;
  };
  const webhook = () => ({ url: `https://${fresh()}.example/`, event_types: ['*'] });
  const aWebhookOf = async () => `/webhooks/${(await make('/webhooks', webhook())).id}`;
  const anOperatorOf = async () => {
    const { sub } = await make('/users', { username: fresh() });
    return `/operators/${(await make('/operators', { sub: sub ?? '', role: 'auditor' })).sub}`;
  };
  type Request = readonly [method: string, path: string, body?: unknown, headers?: Record<string, string>];

  const acts: readonly (readonly [event: string, status: number, request: () => Promise<Request>])[] = [
    ['user.created', 201, async () => ['POST', '/users', { username: fresh() }]],
    [
      'user.updated',
      200,
      async () => {
        const path = await aUserOf();
        return ['PATCH', path, { nickname: 'New' }, await ifMatch(path)];
      },
    ],
    ['user.deleted', 204, async () => ['DELETE', await aUserOf()]],
    [
      'user.password.changed',
      204,
      async () => ['PUT', `${await aUserOf()}/password`, { password: 'another password' }],
    ],
    ['factor.removed', 204, async () => ['DELETE', `${await aUserOf()}/factors/password`]],
    ['application.created', 201, async () => ['POST', '/applications', { code: fresh(), name: 'One' }]],
    [
      'application.updated',
      200,
      async () => {
        const path = await anApplicationOf();
        return ['PATCH', path, { name: 'New' }, await ifMatch(path)];
      },
    ],
    ['application.deleted', 204, async () => ['DELETE', await anApplicationOf()]],
    ['client.created', 201, async () => ['POST', '/applications/shop/clients', { client_id: fresh() }]],
    [
      'client.updated',
      200,
      async () => {
        const path = await aClientOf();
        return ['PATCH', path, { scope: 'openid' }, await ifMatch(path)];
      },
    ],
    ['client.deleted', 204, async () => ['DELETE', await aClientOf()]],
    ['client.secret.created', 201, async () => ['POST', `${await aClientOf()}/secrets`, {}]],
    [
      'key.deleted',
      204,
      async () => {
        const path = await anApplicationOf();
        await make(`${path}/clients`, { client_id: 'web', redirect_uris: ['https://one.example/'] });
        const { json } = await owner.ask('GET', `${path}/keys`);
        return ['DELETE', `${path}/keys/${json.items[0].kid}`];
      },
    ],
    ['api_key.created', 201, async () => ['POST', '/api_keys', { name: fresh(), role: 'auditor' }]],
    [
      'api_key.deleted',
      204,
      async () => ['DELETE', `/api_keys/${(await make('/api_keys', { name: fresh(), role: 'auditor' })).id}`],
    ],
    [
      'operator.added',
      201,
      async () => ['POST', '/operators', { sub: (await make('/users', { username: fresh() })).sub, role: 'auditor' }],
    ],
    ['operator.updated', 200, async () => ['PATCH', await anOperatorOf(), { role: 'operator' }]],
    ['operator.removed', 204, async () => ['DELETE', await anOperatorOf()]],
    ['webhook.created', 201, async () => ['POST', '/webhooks', webhook()]],
    ['webhook.deleted', 204, async () => ['DELETE', await aWebhookOf()]],
    ['webhook.updated', 201, async () => ['POST', `${await aWebhookOf()}/secrets`, {}]],
    ['webhook.tested', 201, async () => ['POST', `${await aWebhookOf()}/test`]],
  ];

  const events = async (type: string) => {
    const [row] = await database.query(`SELECT count(*)::int AS count FROM events WHERE type = '${type}'`);
    return row?.count as number;
  };
  for (const when of ['answered', 'sent'] as const) {
    describe(when === 'answered' ? 'and the answer is lost' : 'and the server still commits it', () => {
      for (const [type, status, prepare] of acts) {
        it(`${type} is answered ${status}, and happened once`, async () => {
          const request = await prepare();
          const before = await events(type);
          const cut = proxy.cutAfter(COMMIT, when);
          const answered: Answered = await owner.ask(...request);
          await cut;
          assert.equal(answered.status, status, answered.text);
          assert.equal((await events(type)) - before, 1);
        });
      }
    });
  }

  /** What a person does once, by what the store is asked for: the page shows recovery codes that are stored nowhere else. */
  const KEY = { sealedKey: 'aa', step: 1, recoveryHashes: ['one', 'two'] };
  const told = (type: EventType, { user }: Fixture): Act => ({ ...anAct(type, user.sub), mail: aMail(unique('mail')) });
  const ofPersons: readonly (readonly [
    what: string,
    type: EventType,
    answer: unknown,
    prepare: (of: Fixture, act: Act) => Promise<() => Promise<unknown>>,
  ])[] = [
    [
      'an authenticator app is added with its recovery codes',
      'factor.added',
      { withRecoveryCodes: true },
      async ({ user }, act) => {
        return () => server.services.store.addTotp(user.sub, KEY, NOW, act);
      },
    ],
    [
      'a passkey is added with its recovery codes',
      'factor.added',
      { kind: 'added', withRecoveryCodes: true },
      async ({ user }, act) => {
        const passkey = aNewPasskey({ recoveryHashes: ['one'] });
        return () => server.services.store.addPasskey(user.sub, passkey, NOW, act);
      },
    ],
    [
      'recovery codes are replaced',
      'factor.added',
      true,
      async ({ user }, act) => {
        await server.services.store.addTotp(user.sub, KEY, NOW);
        return () => server.services.store.replaceRecoveryCodes(user.sub, ['new'], NOW, act);
      },
    ],
    [
      'a browser is trusted',
      'browser.trusted',
      true,
      async ({ user }, { event }) => {
        const { sub, passwordHash } = user;
        const times = { createdAt: NOW, expiresAt: NOW + DAY };
        const browser = { ...times, id: unique('browser'), tokenHash: unique('hash'), sub, passwordHash };
        return () => server.services.store.trustBrowser({ ...browser, userAgent: undefined }, 10, event);
      },
    ],
    [
      'an approval is asked for',
      'approval.requested',
      { kind: 'reaches', mails: true },
      async (of, { event, mail }) => {
        const request = aBackchannelRequest(of, { event, mail, ping: Buffer.from('sealed') });
        return () => server.services.store.openBackchannelRequest(of.app, request);
      },
    ],
  ];
  for (const when of ['answered', 'sent'] as const) {
    describe(`a person’s act, ${when === 'answered' ? 'its answer lost' : 'which the server still commits'}`, () => {
      for (const [what, type, expected, prepare] of ofPersons) {
        it(`${what}: it says so, and it happened once`, async () => {
          const of = await aFixture(server.services.store);
          const send = await prepare(of, told(type, of));
          const before = await events(type);
          const cut = proxy.cutAfter(COMMIT, when);
          const answer = await send();
          await cut;
          assert.deepEqual(answer, expected);
          assert.equal((await events(type)) - before, 1);
        });
      }
    });
  }

  it('the secret in the answer is the one that is stored', async () => {
    const cut = proxy.cutAfter(COMMIT, 'answered');
    const { json } = await owner.ask('POST', '/api_keys', { name: 'ci', role: 'auditor' });
    await cut;
    const { status } = await fetch(`${server.base}/api/v1/admin/users`, {
      headers: { authorization: `Bearer ${json.key}` },
    });
    assert.equal(status, 200);
  });

  it('the next request finds that the user is deleted', async () => {
    const path = await aUserOf();
    const cut = proxy.cutAfter(COMMIT, 'answered');
    const { status } = await owner.ask('DELETE', path);
    await cut;
    assert.deepEqual([status, (await owner.ask('DELETE', path)).status], [204, 404]);
  });
});
