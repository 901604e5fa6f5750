import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { openSqliteStore } from '../../../src/assembly/store.sqlite.ts';
import type { Store } from '../../../src/store.ts';
import { nodeStart } from '../../assembly/run.ts';
import { useStart } from '../../assembly/start-fixture.ts';
import { basic, introspect } from '../../build/client.ts';
import { runCommand } from '../../build/command.ts';
import { aClient, anApplication, aUser } from '../../build/fixture.ts';
import { until } from '../../build/until.ts';

describe('events of a running server', () => {
  const fixture = useStart();
  beforeEach(async () => {
    const stdin = JSON.stringify({ applications: [anApplication({ clients: [aClient()] })], users: [aUser()] });
    const { code, err } = await runCommand(['apply', '-'], fixture.env, { stdin });
    assert.equal(code, 0, err);
  });

  const fail = () => {
    const base = `http://127.0.0.1:${fixture.port}`;
    const at = () => `${base}/api/v1/authorize/shop/oauth2`;
    return introspect({ base, at }, { token: 'x' }, { auth: basic('web', 'a wrong secret') });
  };
  const withStore = async <T>(work: (store: Store) => Promise<T>): Promise<T> => {
    const store = openSqliteStore(fixture.folder.file('gatehouse.db'));
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  };
  const listed = (type: string) =>
    withStore(store => store.listEvents({ types: [type] }, { after: undefined, limit: 100 }));

  for (const workers of ['1', '2']) {
    it(`SIGTERM loses none that waits to be written, with ${workers} process(es)`, async () => {
      const server = await fixture.start({ GATEHOUSE_WORKERS: workers }, nodeStart);
      const answers = await Promise.all(Array.from({ length: 10 }, fail));
      const failed = answers.filter(({ status }) => status === 401 || status === 429).length;
      assert.equal(await server.stop(), 0);
      assert.equal(failed, 10);
      assert.equal((await listed('client.authentication.failed')).length, 10);
    });
  }

  it('the job seals what commands and requests recorded, and the chain verifies', async () => {
    assert.equal((await withStore(store => store.chainState())).head, undefined);
    await fixture.start();
    await fail();
    const sealed = () => withStore(async store => (await store.chainState()).head?.lastSeq);
    // configuration.applied, and one each for the application, the client and the user.
    await until('all are sealed', async () => (await sealed()) === 5);
    const { code, out } = await runCommand(['events', 'verify'], fixture.env);
    assert.equal(code, 0, out);
    assert.match(out, /^5 sealed events/);
  });

  it('the job deletes events that are older than GATEHOUSE_EVENTS_RETENTION_DAYS, and what is left verifies', async () => {
    const DAY = 86_400;
    const now = Math.floor(Date.now() / 1000);
    const old = (index: number) => ({
      ...{ id: `evt_${(now - 3 * DAY).toString(16)}00000${index}`, time: now - 3 * DAY, type: 'token.revoked' },
      ...{ outcome: 'success', actor: { kind: 'system' } },
    });
    await withStore(store => store.recordEvents([old(1), old(2)] as Parameters<Store['recordEvents']>[0]));
    const first = await fixture.start({ GATEHOUSE_EVENTS_RETENTION_DAYS: '4' });
    await until('all are sealed', () => withStore(async store => (await store.chainState()).head?.lastSeq === 6));
    await first.stop();
    assert.equal((await listed('token.revoked')).length, 2);
    const second = await fixture.start({ GATEHOUSE_EVENTS_RETENTION_DAYS: '2' });
    await until('the old ones are deleted', async () => (await listed('token.revoked')).length === 0);
    await second.stop();
    const { code, out } = await runCommand(['events', 'verify'], fixture.env);
    assert.equal(code, 0, out);
    assert.match(out, /^4 sealed events/);
  });

  it('a wrong GATEHOUSE_EVENTS_RETENTION_DAYS stops the start', async () => {
    const { code, err } = await runCommand(['check-config'], { ...fixture.env, GATEHOUSE_EVENTS_RETENTION_DAYS: '0' });
    assert.equal(code, 78);
    assert.match(err, /^GATEHOUSE_EVENTS_RETENTION_DAYS: must be a number of days from 1 to 99999$/m);
  });
});
