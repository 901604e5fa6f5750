import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../scripts/free-port.ts';
import { type PostgresServer, startPostgres } from '../../scripts/postgres.ts';
import { TEST_SECRET } from '../build/test-server.ts';
import { type TemporaryFolder, temporaryFolder } from '../store/temporary-folder.ts';
import { nodeStart, PROGRAM, type Started, start } from './run.ts';

const FILE = JSON.stringify({ applications: [{ code: 'shop', name: 'Shop' }] });
const WAITING = 'waiting for the database: ';
/** Longer than the one second after which a node of the release before gave up. */
const AWAY_MS = 4000;

describe('a database that is away for a while', () => {
  let folder: TemporaryFolder;
  let env: Record<string, string>;
  const running: Started[] = [];
  before(() => {
    folder = temporaryFolder();
    writeFileSync(folder.file('apply.json'), FILE);
  });
  beforeEach(async () => {
    const port = await freePort();
    env = { PORT: String(port), BASE_URL: `http://127.0.0.1:${port}`, GATEHOUSE_SECRET: TEST_SECRET };
  });
  afterEach(() => {
    for (const server of running.splice(0)) server.destroy();
  });
  after(() => folder.remove());

  /** What waits while the database is away, and is done when it is back. */
  const assertWaits = async (back: () => unknown) => {
    const startedAt = performance.now();
    const server = nodeStart(env);
    running.push(server);
    const applying = start(process.execPath, [PROGRAM, 'apply', folder.file('apply.json')], env);
    running.push(applying);
    await Promise.all([server.printed(WAITING), applying.printed(WAITING)]);
    await pause(Math.max(0, startedAt + AWAY_MS - performance.now()));
    await back();
    await server.printed('"event":"started"');
    assert.equal(await applying.ended, 0, applying.output());
    assert(applying.output().startsWith(WAITING), applying.output());
    return { said: server.output(), err: applying.output() };
  };

  describe('PostgreSQL:', () => {
    let server: PostgresServer;
    beforeEach(async () => {
      server = await startPostgres();
      env.DATABASE_URL = server.url;
    });
    afterEach(async () => {
      server.signal('SIGCONT');
      await server.remove();
    });

    it('stopped, the start and apply wait for it and say so', async () => {
      await server.stop();
      const { said, err } = await assertWaits(() => server.start());
      for (const text of [said, err]) assert.match(text, /^waiting for the database: connect ECONNREFUSED/m);
    });

    it('frozen, the start and apply wait for it and say so', async () => {
      server.signal('SIGSTOP');
      const { said, err } = await assertWaits(() => server.signal('SIGCONT'));
      for (const text of [said, err]) assert.match(text, /^waiting for the database: it has not answered yet/m);
    });

    it('changed by another node, the start and apply wait and say so', async () => {
      const { Client } = await import('pg');
      const other = new Client(server.url);
      await other.connect();
      // src/platform/store/postgres/migrate.postgres.ts
      await other.query('SELECT pg_advisory_lock($1)', [0x67617465]);
      const { said, err } = await assertWaits(() => other.end());
      for (const text of [said, err])
        assert.match(text, /^waiting for the database: another node is changing its schema/m);
    });
  });

  it('SQLite, locked by another process: the start and apply wait for it and say so', async () => {
    env.DATABASE_URL = `sqlite:${folder.file('gatehouse.db')}`;
    const other = new DatabaseSync(folder.file('gatehouse.db'));
    other.exec('PRAGMA journal_mode = WAL; CREATE TABLE held (id INTEGER); BEGIN IMMEDIATE');
    const { said, err } = await assertWaits(() => other.exec('ROLLBACK; DROP TABLE held'));
    for (const text of [said, err]) assert.match(text, /^waiting for the database: .*database is locked/m);
    other.close();
  });
});
