import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { aTokenSet, basic, introspect } from '../../build/client.ts';
import { anApplication } from '../../build/fixture.ts';
import { anOperatorClient, type OperatorClient } from '../../build/operator.ts';
import { suiteServer } from '../../build/test-server.ts';

interface Item {
  readonly id: string;
  readonly type: string;
  readonly application?: string;
}

describe('/api/v1/admin/events (admin contract)', () => {
  let owner: OperatorClient;
  const server = suiteServer({ applications: [anApplication(), anApplication({ code: 'bank' })] });
  before(async () => {
    owner = await anOperatorClient(server);
    for (const app of ['shop', 'bank', 'shop']) await aTokenSet(server, {}, undefined, app);
    await introspect(server, { token: 'x' }, { auth: basic('web', 'a wrong secret') });
    await server.services.recorder.drain();
  });

  const items = async (caller: OperatorClient, query = ''): Promise<Item[]> => {
    const answered = await caller.ask('GET', `/events${query}`);
    assert.equal(answered.status, 200, answered.text);
    return answered.json.items;
  };

  it('lists newest first, with the fields of the contract', async () => {
    const [newest, ...others] = await items(owner);
    assert.equal(newest?.type, 'client.authentication.failed');
    assert.equal(others.length, 4);
    const [login] = await items(owner, '?type=user.login.succeeded&application=bank');
    assert.deepEqual(Object.keys(login ?? {}), [
      ...['id', 'time', 'type', 'outcome', 'actor', 'subject', 'application', 'client', 'address', 'user_agent'],
      ...['request_id', 'details'],
    ]);
  });

  it('a cursor goes through all of them, once', async () => {
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: { json: { items: Item[]; next: string | null } } = await owner.ask(
        'GET',
        `/events?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`,
      );
      seen.push(...page.json.items.map(({ id }) => id));
      cursor = page.json.next;
    }
    const all = (await items(owner)).map(({ id }) => id);
    assert.deepEqual(seen, all);
  });

  it('filters by every filter of the contract', async () => {
    const [login] = (await owner.ask('GET', '/events?application=bank')).json.items;
    const filters = {
      ...{ type: 'user.login.succeeded', application: 'bank', client: 'web', user: login.subject },
      ...{ request_id: login.request_id, from: login.time, to: new Date(Date.parse(login.time) + 1000).toISOString() },
    };
    for (const [name, value] of Object.entries(filters)) {
      const found = await items(owner, `?${new URLSearchParams({ [name]: value })}`);
      assert(
        found.some(({ id }) => id === login.id),
        name,
      );
    }
    assert.deepEqual(
      (await items(owner, `?${new URLSearchParams(filters)}`)).map(({ id }) => id),
      [login.id],
    );
    assert.deepEqual(await items(owner, '?operator=nobody'), []);
  });

  it('an auditor reads them; a role that is limited to applications sees those of these applications alone', async () => {
    assert.equal((await items(await anOperatorClient(server, { role: 'auditor' }))).length, 6);
    const limited = await anOperatorClient(server, { role: 'auditor', applications: ['bank'] });
    assert.deepEqual(
      (await items(limited)).map(({ application }) => application),
      ['bank'],
    );
    assert.deepEqual(await items(limited, '?application=shop'), []);
    assert.deepEqual(await items(limited, '?type=api_key.created'), []);
  });

  for (const query of [
    'type=user.jumped',
    'colour=red',
    'limit=0',
    'limit=201',
    'from=yesterday',
    'cursor=%20',
    'user=',
  ]) {
    it(`400 with the place of the fault: ${query}`, async () => {
      const { status, json } = await owner.ask('GET', `/events?${query}`);
      assert.equal(status, 400);
      assert.match(json.errors[0].pointer, new RegExp(`^/${query.split('=')[0]}`));
    });
  }
});
