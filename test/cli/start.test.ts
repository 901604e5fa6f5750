import assert from 'node:assert/strict';
import { chmodSync, statSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { sampleOf } from '../build/exposition.ts';
import { freePort } from '../build/test-server.ts';
import { answerIn, formWith, Visitor } from '../build/visitor.ts';
import { type TemporaryFolder, temporaryFolder } from '../store/temporary-folder.ts';
import { nodeStart, npmStart, run, type Started } from './run.ts';

const STARTED = '"event":"started"';

describe('npm start', () => {
  let folder: TemporaryFolder;
  let port: number;
  let env: Record<string, string>;
  const running: Started[] = [];
  beforeEach(async () => {
    folder = temporaryFolder();
    port = await freePort();
    env = {
      PORT: String(port),
      BASE_URL: `http://127.0.0.1:${port}`,
      DATABASE_URL: `sqlite:${folder.file('gatehouse.db')}`,
    };
  });
  afterEach(() => {
    for (const server of running.splice(0)) server.destroy();
    folder.remove();
  });

  const start = async (over: Record<string, string> = {}, by = npmStart) => {
    const server = by({ ...env, ...over });
    running.push(server);
    await server.printed(STARTED);
    return server;
  };
  const discovery = () =>
    fetch(`http://127.0.0.1:${port}/api/v1/authorize/demo/oauth2/.well-known/openid-configuration`);

  it('shows a demo once, whose every line works as it is pasted into a shell', async () => {
    const server = await start();
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

  it('shows addresses that lead through the login page to the demo client', async () => {
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

  it('does not show it on the second start, and keeps what it made', async () => {
    const first = await start({}, nodeStart);
    assert.match(first.output(), /created a demo application/);
    assert.equal(await first.stop(), 0);
    const second = await start();
    assert.doesNotMatch(second.output(), /demo application|curl /);
    assert.equal((await discovery()).status, 200);
  });

  for (const GATEHOUSE_WORKERS of ['1', '2']) {
    it(`has the keys that clients sign with before it serves, with ${GATEHOUSE_WORKERS} workers (issue 10 A.1)`, async () => {
      const first = await start({}, nodeStart);
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
      const second = await start({ GATEHOUSE_WORKERS }, nodeStart);
      const present = algs();
      const ran = await run('sh', ['-c', login]);
      database.close();
      assert.deepEqual(present, ['RS256']);
      assert.equal(JSON.parse(ran.out).token_type, 'Bearer', ran.out);
      assert.doesNotMatch(second.output(), /key\.missing/);
    });
  }

  it('makes none where BASE_URL is not on this machine', async () => {
    const server = await start({ BASE_URL: 'https://id.example' }, nodeStart);
    assert.doesNotMatch(server.output(), /demo application|curl /);
    assert.equal((await discovery()).status, 404);
  });

  it('refuses a plain-http BASE_URL beyond this machine with one line and exit code 78, unless it is allowed', async () => {
    const beyond = { ...env, BASE_URL: 'http://id.example' };
    const ran = await run(process.execPath, ['src/main.ts'], beyond);
    assert.equal(ran.code, 78);
    assert.match(ran.err, /^BASE_URL: .*GATEHOUSE_ALLOW_HTTP=true.*\n$/);
    await start({ ...beyond, GATEHOUSE_ALLOW_HTTP: 'true' }, nodeStart);
    assert.equal((await fetch(`http://127.0.0.1:${port}/healthz`)).status, 200);
  });

  it('makes its files for their owner alone, and warns of wider modes with the command that repairs them', async () => {
    const data = folder.file('data dir');
    const database = { DATABASE_URL: `sqlite:${data}/gatehouse.db` };
    const first = await start(database, nodeStart);
    const files = ['gatehouse.db', 'gatehouse.db-wal', 'gatehouse.secret'].map(name => `${data}/${name}`);
    for (const file of files) assert.equal(statSync(file).mode & 0o777, 0o600, file);
    assert.equal(statSync(data).mode & 0o777, 0o700);
    assert.doesNotMatch(first.output(), /file\.mode/);
    assert.equal(await first.stop(), 0);

    chmodSync(data, 0o755);
    chmodSync(`${data}/gatehouse.db`, 0o644);
    chmodSync(`${data}/gatehouse.secret`, 0o640);
    const second = await start(database, nodeStart);
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
    assert.doesNotMatch((await start(database, nodeStart)).output(), /file\.mode/);
  });

  it('makes none with GATEHOUSE_DEMO=false', async () => {
    const server = await start({ GATEHOUSE_DEMO: 'false' });
    assert.doesNotMatch(server.output(), /demo application|curl /);
    assert.equal((await discovery()).status, 404);
  });

  it('logs JSON lines and no secret of the demo', async () => {
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
    const ran = await run('npm', ['start', '--silent'], { ...env, PORT: 'x', LOG_LEVEL: 'x' });
    assert.equal(ran.code, 78);
    const names = ran.err
      .trimEnd()
      .split('\n')
      .map(line => line.split(':')[0]);
    assert.deepEqual(names.sort(), ['LOG_LEVEL', 'PORT']);
  });

  it('on a port that is taken says so and exits 69', async () => {
    await start();
    const second = await run('npm', ['start', '--silent'], {
      ...env,
      DATABASE_URL: `sqlite:${folder.file('other.db')}`,
    });
    assert.equal(second.code, 69);
    assert.match(second.out + second.err, /cannot listen/);
  });

  it('shows metrics on a port of their own, and there alone', async () => {
    const metricsPort = await freePort();
    await start({ GATEHOUSE_METRICS_PORT: String(metricsPort) }, nodeStart);
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

  it('SIGTERM lets a request in flight finish, takes no new one, and exits 0 within 10 s', async () => {
    const server = await start({}, nodeStart);
    const idle = await keptOpen(port);
    const finish = await slowRequest(port);
    // A round trip behind it, so that the server has surely seen the slow one.
    await discovery();
    const began = performance.now();
    const ended = server.stop();
    await server.printed('"event":"draining"');
    assert.equal(await refusesWithin(port, 1000), true);
    const answer = await finish();
    assert.match(answer, /^HTTP\/1\.1 401 /);
    assert.match(answer, /"error":"access_denied"/);
    assert.equal(await ended, 0);
    assert(performance.now() - began < 10_000);
    await server.printed('"event":"stopped"');
    idle.destroy();
  });

  it('SIGTERM closes a connection behind its last answer, and does not wait for its idle time', async () => {
    const server = await start({}, nodeStart);
    const finish = await slowRequest(port);
    await discovery();
    const ended = server.stop();
    await server.printed('"event":"draining"');
    const began = performance.now();
    assert.match(await finish(), /^connection: close\r$/im);
    await ended;
    const waited = performance.now() - began;
    assert(waited < 4000, `nothing was left to do, and it took ${Math.round(waited)} ms`);
  });

  it('SIGTERM to npm reaches the server, which drains and exits 0', async () => {
    const server = await start();
    assert.equal(await server.stop(), 0);
    await server.printed('"event":"stopped"');
    await assert.rejects(discovery());
  });

  it('SIGTERM exits 0 within 10 s also when a request never ends', async () => {
    const server = await start({}, nodeStart);
    const stuck = await opened(port);
    stuck.write('POST /api/v1/authorize/demo/oauth2/token HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nx');
    await discovery();
    const began = performance.now();
    assert.equal(await server.stop(), 0);
    assert(performance.now() - began < 10_000);
    stuck.destroy();
  });
});

function opened(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket)).once('error', reject);
  });
}

/** The line is logged shortly before the port is closed. */
async function refusesWithin(port: number, milliseconds: number): Promise<boolean> {
  for (const end = performance.now() + milliseconds; performance.now() < end; ) {
    try {
      (await opened(port)).destroy();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ECONNREFUSED') return true;
    }
    await pause(20);
  }
  return false;
}

/** A token request of which the last part is sent when the test says so. Gives everything that was answered. */
async function slowRequest(port: number): Promise<() => Promise<string>> {
  const body = 'grant_type=refresh_token&refresh_token=unknown';
  const socket = await opened(port);
  const head = [
    'POST /api/v1/authorize/demo/oauth2/token HTTP/1.1',
    'Host: 127.0.0.1',
    'Content-Type: application/x-www-form-urlencoded',
    `Content-Length: ${body.length}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body.slice(0, 10)}`);
  return () => {
    socket.write(body.slice(10));
    return everything(socket);
  };
}

/** A connection that had its answer and waits for the next request. */
async function keptOpen(port: number): Promise<Socket> {
  const socket = await opened(port);
  socket.write('GET /docs/errors HTTP/1.1\r\nHost: x\r\n\r\n');
  await new Promise(resolve => socket.once('data', resolve));
  return socket;
}

async function everything(socket: Socket): Promise<string> {
  let text = '';
  for await (const chunk of socket) text += chunk;
  return text;
}
