import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { startPostgres } from '../../scripts/postgres.ts';
import { type Env, run } from '../assembly/run.ts';
import { TEST_SECRET } from '../build/test-server.ts';
import { command, operatorPath, postgresFolder } from './operator.ts';
import { openGuide } from './run-guide.ts';

const APPLY_FILE = {
  applications: [{ code: 'shop', name: 'Shop', clients: [{ client_id: 'shop-web' }] }],
  users: [{ username: 'alice', email: 'alice@example.com' }],
};

describe('docs/guides/operating.md, on PostgreSQL', () => {
  it('the database comes back from its backup, with the secret', async () => {
    // pg_dump refuses a server that is newer than itself.
    const postgres = await startPostgres({ binaries: postgresFolder(), settings: { fsync: 'off' } });
    const at = (database: string, user = 'gatehouse') => `postgres://${user}@127.0.0.1:${postgres.port}/${database}`;
    const [ADMIN, DATABASE_URL, RESTORED] = [at('postgres', 'postgres'), at('gatehouse'), at('gatehouse_restored')];
    const GATEHOUSE_SECRET = TEST_SECRET;
    const env = { PATH: operatorPath(), ADMIN, DATABASE_URL, RESTORED, GATEHOUSE_SECRET };
    const guide = await openGuide('operating', { ports: [3000], env });
    try {
      const output = async (args: readonly string[], more: Env = {}) => {
        const { code, out, err } = await command(guide.folder, args, { ...env, ...more });
        assert.equal(code, 0, err);
        return out;
      };
      const sql = ['CREATE ROLE gatehouse LOGIN', 'CREATE DATABASE gatehouse OWNER gatehouse'];
      await run('psql', ['-q', ADMIN, ...sql.flatMap(each => ['-c', each])], env);
      const file = join(guide.folder, 'apply.json');
      writeFileSync(file, JSON.stringify(APPLY_FILE));
      await output(['apply', file]);
      await guide.section('PostgreSQL');
      await guide.section('Restore PostgreSQL');
      const restored = { DATABASE_URL: RESTORED };
      assert.equal(await output(['export'], restored), await output(['export']));
      assert.match(await output(['keys', 'list', '--app', 'shop'], restored), /^RS256 {2}signing /);
    } finally {
      await guide.close();
      await postgres.remove();
    }
  });
});
