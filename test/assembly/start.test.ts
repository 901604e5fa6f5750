import assert from 'node:assert/strict';
import { chmodSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { freePort } from '../../scripts/free-port.ts';
import { runCommand } from '../build/command.ts';
import { sampleOf } from '../build/exposition.ts';
import { answerIn, formWith, Visitor } from '../build/visitor.ts';
import { nodeStart, npmStart, run, startInProcess } from './run.ts';
import { useStart } from './start-fixture.ts';

describe('npm start', () => {
  const fixture = useStart();

  it('shows a demo once, whose every line works as it is pasted into a shell', async () => {
    const { start } = fixture;
    const server = await start({}, npmStart);
    const lines = server.output().split('\n');
    assert(
      lines.some(line => line.includes('GATEHOUSE_DEMO=false')),
      'it must say how to turn it off',
    );
    const curls = lines.filter(line => line.startsWith('curl '));
    assert.equal(curls.length, 5);
    const answers = [];
    for (const line of curls) {
      const ran = await run('sh', ['-c', line]);
      assert.equal(ran.code, 0, `${line}\n${ran.err}`);
      answers.push(JSON.parse(ran.out));
    }
    const [code, password, refresh, introspection, userinfo] = answers;
    for (const set of [code, password, refresh]) assert.equal(set.token_type, 'Bearer', JSON.stringify(set));
    assert.equal(introspection.active, true);
    assert.equal(userinfo.preferred_username, 'demo');
  });

  it('loads two packages: the others wait for their first use, since loaded code is memory of an idle server', async () => {
    const { start } = fixture;
    const reporting = `--import ${new URL('report-packages.ts', import.meta.url)}`;
    const server = await start({ GATEHOUSE_DEMO: 'false', NODE_OPTIONS: reporting }, nodeStart);
    const loaded = [...server.output().matchAll(/^loads (\S+)$/gm)].map(([, name]) => name);
    assert.deepEqual([...new Set(loaded)].sort(), ['cookie', 'jose']);
  });

  it('shows addresses that lead through the login page to the demo client', async () => {
    const { port, start } = fixture;
    const server = await start();
    const lines = server.output().split('\n');
    const value = (name: string) =>
      lines.map(line => new RegExp(`^│ ${name}\\s+(\\S+)`).exec(line)?.[1]).find(found => found) ?? '';
    const addresses = lines.filter(line => line.startsWith('http'));
    assert.equal(addresses.length, 2);
    for (const address of addresses) {
      const visitor = new Visitor('none');
      let page = await visitor.go(address);
      while (page.location !== undefined) page = await visitor.go(page.location);
      const form = formWith(page, 'password');
      let seen = await visitor.send(
        form,
        { username: value('user'), password: value('password') },
        { origin: `http://127.0.0.1:${port}` },
      );
      while (seen.location !== undefined && !seen.location.includes('/demo/callback'))
        seen = await visitor.go(seen.location);
      const answer = answerIn(seen);
      assert.equal(answer.state, 'demo');
      assert(answer.code ?? answer.id_token, JSON.stringify(answer));
      const callback = await visitor.go(seen.location ?? '');
      assert.equal(callback.status, 200);
    }
  });

  it('shows a link for the first owner with each start, until there is one (admin.md, "Who may call")', async () => {
    const { env, start } = fixture;
    const linkIn = (output: string) => /^\{.*"event":"owner\.missing","link":"([^"]+)"\}$/m.exec(output)?.[1];
    const first = await start();
    const link = linkIn(first.output());
    assert(link, first.output());
    const opened = await new Visitor('none').go(link);
    assert.deepEqual([opened.status, /Create the first owner/.test(opened.text)], [200, true]);
    assert.equal(first.output().split('first-owner?').length, 2, 'one line, and not logged again with the request');
    await first.stop();
    const second = await start({ GATEHOUSE_WORKERS: '2' }, nodeStart);
    const other = linkIn(second.output());
    assert(other && other !== link);
    assert.equal((await new Visitor('none').go(link)).status, 403, 'a new start makes the former one void (row 67)');
    assert.equal((await new Visitor('none').go(other)).status, 200);
    assert.equal((await runCommand(['operators', 'add', 'demo', '--role', 'owner'], env)).code, 0);
    assert.equal((await new Visitor('none').go(other)).status, 403);
    await second.stop();
    assert.equal(linkIn((await start()).output()), undefined);
  });

  it('says that no mail is sent (running.md, MAIL_URL)', async () => {
    const server = await fixture.start({ MAIL_URL: 'none' });
    assert.match(server.output(), /"level":"warn","event":"mail\.off","message":"No mail is sent: .*MAIL_URL/);
  });

  it('does not show it on the second start, and keeps what it made', async () => {
    const { start, discovery } = fixture;
    const first = await start();
    assert.match(first.output(), /created a demo application/);
    assert.equal(await first.stop(), 0);
    const second = await start();
    assert.doesNotMatch(second.output(), /demo application|curl /);
    assert.equal((await discovery()).status, 200);
  });

  for (const GATEHOUSE_WORKERS of ['1', '2']) {
    it(`has the keys that clients sign with before it serves, with ${GATEHOUSE_WORKERS} workers (issue 10 A.1)`, async () => {
      const { folder, start } = fixture;
      const first = await start();
      const login =
        first
          .output()
          .split('\n')
          .find(line => line.includes('grant_type=password')) ?? 'false';
      assert.equal(await first.stop(), 0);
      const database = new DatabaseSync(folder.file('gatehouse.db'));
      const algs = () =>
        database
          .prepare('SELECT alg FROM signing_keys')
          .all()
          .map(({ alg }) => alg);
      // As the previous release left a demo that was never used.
      database.exec('DELETE FROM signing_keys');
      const second = await start({ GATEHOUSE_WORKERS }, GATEHOUSE_WORKERS === '1' ? startInProcess : nodeStart);
      const present = algs();
      const ran = await run('sh', ['-c', login]);
      database.close();
      assert.deepEqual(present, ['RS256']);
      assert.equal(JSON.parse(ran.out).token_type, 'Bearer', ran.out);
      assert.doesNotMatch(second.output(), /key\.missing/);
    });
  }

  it('makes none where BASE_URL is not on this machine', async () => {
    const { start, discovery } = fixture;
    const server = await start({ BASE_URL: 'https://id.example' });
    assert.doesNotMatch(server.output(), /demo application|curl /);
    assert.equal((await discovery()).status, 404);
  });

  it('refuses a plain-http BASE_URL beyond this machine with one line and exit code 78, unless it is allowed', async () => {
    const { port, env, start } = fixture;
    const beyond = { ...env, BASE_URL: 'http://id.example' };
    const ran = await run(process.execPath, ['src/main.ts'], beyond);
    assert.equal(ran.code, 78);
    assert.match(ran.err, /^BASE_URL: .*GATEHOUSE_ALLOW_HTTP=true.*\n$/);
    await start({ ...beyond, GATEHOUSE_ALLOW_HTTP: 'true' });
    assert.equal((await fetch(`http://127.0.0.1:${port}/healthz`)).status, 200);
  });

  it('makes its files for their owner alone, and warns of wider modes with the command that repairs them', async () => {
    const { folder, start } = fixture;
    const data = folder.file('data dir');
    const database = { DATABASE_URL: `sqlite:${data}/gatehouse.db` };
    const first = await start(database);
    const files = ['gatehouse.db', 'gatehouse.db-wal', 'gatehouse.secret'].map(name => `${data}/${name}`);
    for (const file of files) assert.equal(statSync(file).mode & 0o777, 0o600, file);
    assert.equal(statSync(data).mode & 0o777, 0o700);
    assert.doesNotMatch(first.output(), /file\.mode/);
    assert.equal(await first.stop(), 0);

    chmodSync(data, 0o755);
    chmodSync(`${data}/gatehouse.db`, 0o644);
    chmodSync(`${data}/gatehouse.secret`, 0o640);
    const second = await start(database);
    const warnings = second
      .output()
      .split('\n')
      .filter(line => line.includes('"file.mode"'))
      .map(line => JSON.parse(line));
    const secret = `${data}/gatehouse.secret`;
    const about = (file: string) => warnings.find(warning => warning.file === file);
    assert.equal(about(data)?.mode, '0755');
    assert.equal(about(secret)?.mode, '0640');
    assert.equal(about(secret)?.repair, `chmod 0600 '${secret}'`);
    assert(warnings.every(({ level }) => level === 'warn'));
    assert.equal(statSync(data).mode & 0o777, 0o755, 'a folder that may be shared is not changed');
    assert.equal(await second.stop(), 0);
    for (const { repair } of warnings) await run('sh', ['-c', repair]);
    assert.doesNotMatch((await start(database)).output(), /file\.mode/);
  });

  it('makes none with GATEHOUSE_DEMO=false', async () => {
    const { start, discovery } = fixture;
    const server = await start({ GATEHOUSE_DEMO: 'false' });
    assert.doesNotMatch(server.output(), /demo application|curl /);
    assert.equal((await discovery()).status, 404);
  });

  it('logs JSON lines and no secret of the demo', async () => {
    const { start } = fixture;
    const server = await start();
    const lines = server.output().split('\n');
    const secret = lines.map(line => /^│ secret\s+(\S+)/.exec(line)?.[1]).find(found => found) ?? '';
    assert(secret.length > 20);
    await run('sh', ['-c', lines.find(line => line.includes('grant_type=password')) ?? 'false']);
    const logged = server
      .output()
      .split('\n')
      .filter(line => line.startsWith('{'));
    assert(logged.length > 0);
    for (const line of logged) {
      JSON.parse(line);
      assert.equal(line.includes(secret), false);
    }
  });

  it('with wrong settings says one line per fault and exits 78', async () => {
    const { env } = fixture;
    const ran = await run('npm', ['start', '--silent'], { ...env, PORT: 'x', LOG_LEVEL: 'x' });
    assert.equal(ran.code, 78);
    const names = ran.err
      .trimEnd()
      .split('\n')
      .map(line => line.split(':')[0]);
    assert.deepEqual(names.sort(), ['LOG_LEVEL', 'PORT']);
  });

  it('on a port that is taken says so and exits 69', async () => {
    const { folder, env, start } = fixture;
    await start();
    const second = await run('npm', ['start', '--silent'], {
      ...env,
      DATABASE_URL: `sqlite:${folder.file('other.db')}`,
    });
    assert.equal(second.code, 69);
    assert.match(second.out + second.err, /cannot listen/);
  });

  it('shows metrics on a port of their own, and there alone', async () => {
    const { port, env, start, discovery } = fixture;
    const metricsPort = await freePort();
    await start({ GATEHOUSE_METRICS_PORT: String(metricsPort) });
    await discovery();
    const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    const labels = { route: '.well-known/openid-configuration', status: '2xx' };
    assert.equal(sampleOf(text, 'gatehouse_request_duration_seconds_count', labels), 1);
    assert(sampleOf(text, 'gatehouse_process_resident_memory_bytes') > 0);
    assert.equal((await fetch(`http://127.0.0.1:${port}/metrics`)).status, 404);
    const second = await run(process.execPath, ['src/main.ts'], {
      ...env,
      PORT: String(await freePort()),
      GATEHOUSE_METRICS_PORT: String(metricsPort),
    });
    assert.equal(second.code, 69);
    assert.match(second.err, new RegExp(`cannot listen on 127.0.0.1:${metricsPort}`));
  });
});
