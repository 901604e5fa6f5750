import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { after, afterEach, describe, it } from 'node:test';
import { type Env, nodeStart, startInProcess } from '../../assembly/run.ts';
import { useStart } from '../../assembly/start-fixture.ts';
import { runCommand } from '../../build/command.ts';
import { createDatabase, stopOwnServer, type TestDatabase } from '../../build/postgres.ts';

const [OTHER, NEW] = ['o'.repeat(32), 'n'.repeat(32)];
const FILE = {
  applications: [{ code: 'shop', name: 'Shop', clients: [{ client_id: 'web', client_secret: 'web-secret-123' }] }],
  users: [{ username: 'alice', password: 'correct horse' }],
};

/** What every one of these stands on: data that was made with a secret. */
describe('data whose secret is missing or another one', () => {
  const fixture = useStart();
  const databases: TestDatabase[] = [];
  afterEach(async () => {
    for (const database of databases.splice(0)) await database.drop();
  });
  after(stopOwnServer);

  const secretFile = () => fixture.folder.file('gatehouse.secret');
  const command = (args: readonly string[], over: Env = {}, stdin = '') =>
    runCommand(args, { ...fixture.env, ...over }, { stdin });
  const apply = (file: object = FILE, over: Env = {}) => command(['apply', '-'], over, JSON.stringify(file));
  const applied = async (file: object = FILE, over: Env = {}) => {
    const ran = await apply(file, over);
    assert.equal(ran.code, 0, ran.err);
  };
  /** The server and a command that uses keys, each of which must stop. */
  const assertStops = async (reason: RegExp, over: Env = {}) => {
    const start = over.GATEHOUSE_WORKERS === undefined ? startInProcess : nodeStart;
    const server = fixture.launch(over, start);
    const ran = await apply(FILE, over);
    for (const [code, printed] of [
      [await server.ended, server.output()],
      [ran.code, ran.err],
    ] as const) {
      assert.equal(code, 78, printed);
      assert.match(printed, reason);
      assert.equal(printed.trimEnd().split('\n').length, 1, printed);
    }
  };
  const assertStarts = async (over: Env = {}) => {
    const running = await fixture.start(over);
    const jwks = await fetch(`${fixture.env.BASE_URL}/api/v1/authorize/shop/oauth2/jwks`);
    assert.equal(jwks.status, 200);
    assert.equal(await running.stop(), 0);
  };

  it('stops the start and says which file is missing; no new secret is made', async () => {
    await applied();
    const secret = readFileSync(secretFile());
    rmSync(secretFile());
    await assertStops(new RegExp(`^${secretFile()} is missing: .*gatehouse\\.db .*GATEHOUSE_SECRET`));
    await assertStops(/gatehouse\.secret is missing/, { GATEHOUSE_WORKERS: '2' });
    assert.equal(existsSync(secretFile()), false);
    writeFileSync(secretFile(), secret);
    await assertStarts();
  });

  it('stops it also where there are only users yet', async () => {
    await applied({ users: FILE.users });
    rmSync(secretFile());
    await assertStops(/gatehouse\.secret is missing/);
    assert.equal(existsSync(secretFile()), false);
  });

  it('stops it when the file is that of another database, and names the file', async () => {
    await applied();
    writeFileSync(secretFile(), OTHER);
    await assertStops(
      new RegExp(`^${secretFile()} is not the secret of this database: 1 signing key and 1 client secret `),
    );
  });

  it('stops it when GATEHOUSE_SECRET is another one, and says where the right one may be', async () => {
    await applied();
    await assertStops(/^GATEHOUSE_SECRET is not the secret.*GATEHOUSE_SECRET=new,old.*gatehouse\.secret/, {
      GATEHOUSE_SECRET: OTHER,
    });
    await assertStarts({ GATEHOUSE_SECRET: `${OTHER},${readFileSync(secretFile(), 'utf8').trim()}` });
  });

  it('stops it when a secret was taken off the list that something is still made with', async () => {
    const second = { applications: [{ code: 'bank', name: 'Bank', clients: [{ client_id: 'till' }] }] };
    await applied(FILE, { GATEHOUSE_SECRET: OTHER });
    await applied(second, { GATEHOUSE_SECRET: `${NEW},${OTHER}` });
    await assertStarts({ GATEHOUSE_SECRET: `${NEW},${OTHER}` });
    await assertStops(/1 signing key and 1 client secret in it were made with another/, { GATEHOUSE_SECRET: NEW });
  });

  it('goes on with another secret once everything of the lost one was taken away (docs/operations.md)', async () => {
    await applied();
    const made = await command(['webhooks', 'create', 'https://crm.example/hooks', '--json']);
    const { id } = JSON.parse(made.out);
    const over = { GATEHOUSE_SECRET: NEW };
    assert.equal((await command(['keys', 'rotate', '--app', 'shop', '--compromised'], over)).code, 0);
    await assertStops(/: 1 client secret and 1 webhook secret in it were made with another/, over);
    assert.equal((await command(['clients', 'delete', '--app', 'shop', '--client', 'web'], over)).code, 0);
    await assertStops(/: 1 webhook secret in it was made with another/, over);
    assert.equal((await command(['webhooks', 'new-secret', id], over)).code, 0);
    await applied(FILE, over);
    await assertStarts(over);
  });

  it('stops the start on PostgreSQL and names GATEHOUSE_SECRET', async () => {
    const database = await createDatabase();
    databases.push(database);
    const { url: DATABASE_URL } = database;
    await applied(FILE, { DATABASE_URL, GATEHOUSE_SECRET: OTHER });
    await assertStops(/^GATEHOUSE_SECRET is not the secret of this database/, { DATABASE_URL, GATEHOUSE_SECRET: NEW });
    await assertStarts({ DATABASE_URL, GATEHOUSE_SECRET: OTHER });
  });
});
