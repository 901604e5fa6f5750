import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seedDemo } from '../../../src/operators/demo/seed.ts';
import { aTokenSet, isActive, post, refresh } from '../../build/client.ts';
import { aClient, anApplication, aUser } from '../../build/fixture.ts';
import { anOperatorClient } from '../../build/operator.ts';
import { signedIn, tokensOf } from '../../build/people.ts';
import { startTestServer, type TestServer } from '../../build/test-server.ts';
import { copy, useCopyFixture } from './copy-fixture.ts';

/** What the demo has, and what its user does at another application. */
async function demoWith(server: TestServer): Promise<{ readonly password: string }> {
  const welcome = await seedDemo(server.services);
  const password = /password +(\S+)/.exec(welcome)?.[1];
  assert(password);
  return { password };
}

const countsOf = async (query: (text: string) => Promise<Record<string, unknown>[]>) => {
  const counted = [
    "SELECT count(*) AS n FROM applications WHERE code = 'demo'",
    "SELECT count(*) AS n FROM clients WHERE app = 'demo'",
    "SELECT count(*) AS n FROM signing_keys WHERE app = 'demo'",
    "SELECT count(*) AS n FROM users WHERE username = 'demo'",
    "SELECT count(*) AS n FROM login_names WHERE login_name = 'demo'",
  ];
  return Promise.all(counted.map(async text => Number((await query(text))[0]?.n)));
};

describe('gatehouse copy leaves the demo out', () => {
  const { folder, emptyPostgres, openOn } = useCopyFixture();

  it('with what its user did elsewhere, and copies it when it is asked to', async () => {
    const url = `sqlite:${folder.file('with-demo.db')}`;
    const server = await startTestServer({ env: { DATABASE_URL: url }, applications: [], users: [] });
    await server.provision({ applications: [anApplication()], users: [aUser()] });
    const { password } = await demoWith(server);
    const kept = await tokensOf(server, await signedIn(server));
    const ofDemo = await aTokenSet(server, { username: 'demo', password });
    const owner = await anOperatorClient(server);
    const hook = { url: 'https://hook.example/demo', application: 'demo' };
    assert.equal((await owner.ask('POST', '/webhooks', hook)).status, 201);
    await server.close();

    const target = await emptyPostgres();
    const { code, err } = await copy(url, target.url);
    assert.equal(code, 0, err);
    assert.match(
      err,
      /^left out: the application demo with its client, and the user demo \(--with-demo copies them too\)$/m,
    );
    assert.deepEqual(await countsOf(text => target.query(text)), [0, 0, 0, 0, 0]);
    const [orphan] = await target.query(
      'SELECT count(*) AS n FROM refresh_tokens r WHERE NOT EXISTS (SELECT 1 FROM grants g WHERE g.app = r.app AND g.grant_id = r.grant_id)',
    );
    assert.equal(Number(orphan?.n), 0, 'a refresh token came without its grant');
    assert.deepEqual(await target.query("SELECT id FROM webhooks WHERE app = 'demo'"), []);
    assert.notEqual(
      (await target.query("SELECT id FROM events WHERE app = 'demo'")).length,
      0,
      'the audit log is whole',
    );

    const copied = await openOn(target.url);
    assert(await isActive(copied, kept.access_token));
    assert.equal(await isActive(copied, ofDemo.access_token), false);
    assert.equal((await refresh(copied, ofDemo.refresh_token)).status, 400);
    assert.equal((await post(`${copied.at('demo')}/token`, {})).status, 404);

    const all = await emptyPostgres();
    const whole = await copy(url, all.url, '--with-demo');
    assert.equal(whole.code, 0, whole.err);
    assert.doesNotMatch(whole.err, /left out/);
    assert.deepEqual(await countsOf(text => all.query(text)), [1, 1, 1, 1, 1]);

    const back = await copy(all.url, `sqlite:${folder.file('without-demo.db')}`);
    assert.equal(back.code, 0, back.err);
    assert.match(back.err, /^left out: the application demo/m);
    const again = await openOn(`sqlite:${folder.file('without-demo.db')}`);
    assert.equal(await again.services.registry.application('demo'), undefined);
    assert.equal(await again.services.store.findAccount('demo'), undefined);
    assert(await isActive(again, kept.access_token));
  });

  it('but neither an application nor a user that somebody has made their own', async () => {
    const url = `sqlite:${folder.file('own-demo.db')}`;
    const server = await startTestServer({ env: { DATABASE_URL: url }, applications: [], users: [] });
    await demoWith(server);
    await server.provision({
      applications: [anApplication({ code: 'demo', clients: [aClient({ client_id: 'ours' })] })],
      users: [aUser({ username: 'demo', email: 'somebody@example.com' })],
    });
    await server.close();
    const target = await emptyPostgres();
    const { code, err } = await copy(url, target.url);
    assert.equal(code, 0, err);
    assert.match(err, /^the application demo has other clients than the one of the demo, and is copied$/m);
    assert.match(err, /^the user demo is an operator, or has another address, and is copied$/m);
    assert.deepEqual((await target.query("SELECT client_id FROM clients WHERE app = 'demo' ORDER BY 1")).length, 2);
  });

  it('says nothing where there is none', async () => {
    const url = `sqlite:${folder.file('no-demo.db')}`;
    const server = await startTestServer({ env: { DATABASE_URL: url }, applications: [], users: [] });
    await server.provision({
      applications: [anApplication({ code: 'demonstration' })],
      users: [aUser({ username: 'demonstrator' })],
    });
    await server.close();
    const { code, err } = await copy(url, `sqlite:${folder.file('no-demo-copied.db')}`);
    assert.equal(code, 0, err);
    assert.doesNotMatch(err, /demo/);
  });
});
