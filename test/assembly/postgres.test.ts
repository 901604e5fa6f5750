import assert from 'node:assert/strict';
import { after, afterEach, beforeEach, describe, it } from 'node:test';
import { freePort } from '../../scripts/free-port.ts';
import { runCommand } from '../build/command.ts';
import { createDatabase, stopOwnServer, type TestDatabase } from '../build/postgres.ts';
import { TEST_SECRET } from '../build/test-server.ts';
import { type Env, nodeStart, startInProcess } from './run.ts';
import { useStart } from './start-fixture.ts';

const CLOSED = 'postgres://gatehouse:hush-hush@127.0.0.1:9/gatehouse';

after(stopOwnServer);

describe('a start on PostgreSQL (running.md)', () => {
  let database: TestDatabase;
  const fixture = useStart();
  beforeEach(async () => {
    database = await createDatabase();
  });
  afterEach(() => database.drop());
  const settings = (over: Env = {}) => ({ DATABASE_URL: database.url, GATEHOUSE_SECRET: TEST_SECRET, ...over });
  const start = (over: Env = {}, by = startInProcess) => fixture.start(settings(over), by);
  const demo = () => fetch(`${fixture.env.BASE_URL}/api/v1/authorize/demo/oauth2/jwks`);

  it('makes no demo unless it is asked for: many nodes on one database are no first look', async () => {
    const server = await start();
    assert.equal((await demo()).status, 404);
    assert.doesNotMatch(server.output(), /curl/);
    assert.equal(await server.stop(), 0);
    const again = await start({ GATEHOUSE_DEMO: 'true' });
    assert.equal((await demo()).status, 200);
    assert.match(again.output(), /curl/);
    assert.equal(await again.stop(), 0);
  });

  it('makes the demo once, also when two nodes start on an empty database at the same moment', async () => {
    const port = await freePort();
    const nodes = await Promise.all([
      start({ GATEHOUSE_DEMO: 'true' }),
      start({ GATEHOUSE_DEMO: 'true', PORT: String(port) }),
    ]);
    assert.equal(nodes.filter(node => node.output().includes('curl')).length >= 1, true);
    assert.equal((await demo()).status, 200);
    assert.deepEqual(await database.query('SELECT count(*)::int AS count FROM users'), [{ count: 1 }]);
  });

  it('serves with several workers', async () => {
    const server = await start({ GATEHOUSE_WORKERS: '2', GATEHOUSE_DEMO: 'true' }, nodeStart);
    assert.equal((await demo()).status, 200);
    assert.equal(await server.stop(), 0);
  });

  it('without a server there says so, ends with 69 after 30 s, and no line holds the password', async () => {
    const startedAt = performance.now();
    const server = fixture.launch(settings({ DATABASE_URL: CLOSED }), nodeStart);
    await server.printed('waiting for the database: connect ECONNREFUSED 127.0.0.1:9\n');
    assert.equal(await server.ended, 69);
    assert(performance.now() - startedAt > 28_000, 'it gave up before its time');
    assert.match(server.output(), /^cannot reach the database: .*ECONNREFUSED/m);
    assert.equal(server.output().match(/^waiting for/gm)?.length, 1);
    assert.doesNotMatch(server.output(), /hush-hush/);
  });

  for (const [fault, at, reason] of [
    ['a database that is not there', '/nobody_made_it', /database "nobody_made_it" does not exist/],
    ['a role that is not there', '', /role "nobody" does not exist/],
  ] as const) {
    it(`with ${fault} ends with 69 at once: waiting would not help`, async () => {
      const url = new URL(database.url);
      if (at === '') url.username = 'nobody';
      else url.pathname = at;
      const server = fixture.launch(settings({ DATABASE_URL: url.href }), startInProcess);
      assert.equal(await server.ended, 69);
      assert.match(server.output(), reason);
      assert.doesNotMatch(server.output(), /waiting for the database: .*does not exist/);
    });
  }

  it('without a secret ends with 78', async () => {
    const ran = await runCommand(['check-config'], { DATABASE_URL: database.url });
    assert.equal(ran.code, 78);
    assert.match(ran.err, /^GATEHOUSE_SECRET: /);
  });
});
