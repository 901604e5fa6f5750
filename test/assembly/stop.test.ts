import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { startPostgres } from '../../scripts/postgres.ts';
import { openSqliteStore } from '../../src/assembly/store.sqlite.ts';
import { TEST_SECRET } from '../build/test-server.ts';
import { until } from '../build/until.ts';
import { everything, opened } from './raw-socket.ts';
import { nodeStart, npmStart, type Started } from './run.ts';
import { useStart } from './start-fixture.ts';

describe('npm start', () => {
  const fixture = useStart();

  it('SIGTERM lets a request in flight finish, takes no new one, and exits 0', async () => {
    const { port, start, discovery } = fixture;
    const server = await start({}, nodeStart);
    const idle = await keptOpen(port);
    const finish = await slowRequest(port);
    // A round trip behind it, so that the server has surely seen the slow one.
    await discovery();
    const ended = server.stop();
    await server.printed('"event":"draining"');
    await until('no new connection is taken', () => isRefused(port));
    const answer = await finish();
    assert.match(answer, /^HTTP\/1\.1 401 /);
    assert.match(answer, /"error":"access_denied"/);
    assert.equal(await ended, 0);
    await server.printed('"event":"stopped"');
    idle.destroy();
  });

  it('SIGTERM closes a connection behind its last answer', async () => {
    const { port, start, discovery } = fixture;
    const server = await start();
    const finish = await slowRequest(port);
    await discovery();
    const ended = server.stop();
    await server.printed('"event":"draining"');
    assert.match(await finish(), /^connection: close\r$/im);
    assert.equal(await ended, 0);
  });

  it('SIGTERM to npm reaches the server, which drains and exits 0', async () => {
    const { start, discovery } = fixture;
    const server = await start({}, npmStart);
    assert.equal(await server.stop(), 0);
    await server.printed('"event":"stopped"');
    await assert.rejects(discovery());
  });

  it('SIGTERM writes what was counted since the last minute (admin contract, /statistics)', async () => {
    const { folder, start, discovery } = fixture;
    const server = await start();
    for (let at = 0; at < 3; at++) await discovery();
    assert.equal(await server.stop(), 0);
    const store = openSqliteStore(folder.file('gatehouse.db'));
    const points = await store.listStatistics({ step: 'day', apps: ['demo'], from: 0, to: 2 ** 40 });
    await store.close();
    const histograms = points.map(({ tallies }) => tallies['latency .well-known/openid-configuration'] ?? {});
    assert.equal(
      histograms.flatMap(histogram => Object.values(histogram)).reduce((sum, count) => sum + count, 0),
      3,
    );
  });

  it('SIGTERM exits 0 within 10 s also when a request never ends', async () => {
    const { port, start, discovery } = fixture;
    const server = await start();
    const stuck = await opened(port);
    stuck.write('POST /api/v1/authorize/demo/oauth2/token HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nx');
    await discovery();
    await assertStopsInTime(server);
    stuck.destroy();
  });

  it('SIGTERM exits 0 within 10 s also when the receiver of traces never answers', async t => {
    const { start, discovery } = fixture;
    const receiver = await silentReceiver();
    t.after(() => receiver.close());
    const server = await start({
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_TIMEOUT: '60000',
      OTEL_BSP_SCHEDULE_DELAY: '100',
    });
    await discovery();
    await until('spans were sent', () => receiver.asked() > 0);
    await assertStopsInTime(server);
  });

  it('SIGTERM exits 0 within 10 s also when the database hangs and may take 30 s, and the log has what was lost', async t => {
    const { start, discovery } = fixture;
    const database = await startPostgres();
    t.after(async () => {
      database.signal('SIGCONT');
      await database.remove();
    });
    const settings = { DATABASE_URL: database.url, DATABASE_TIMEOUT: '30', GATEHOUSE_SECRET: TEST_SECRET };
    const server = await start(settings, nodeStart);
    assert.equal((await discovery()).status, 404);
    database.signal('SIGSTOP');
    await assertStopsInTime(server);
    assert.match(server.output(), /"event":"statistics\.lost"/);
  });
});

async function assertStopsInTime(server: Started): Promise<void> {
  assert.equal(await server.stop(), 0);
  await server.printed('"event":"stopped"');
  // By its own clock: on a busy machine the end of the process is seen later.
  const [began, stopped] = [timeOf(server, 'draining'), timeOf(server, 'stopped')];
  assert(stopped - began < 10_000, `${stopped - began} ms`);
}

/** Takes connections, and says nothing. */
async function silentReceiver() {
  let asked = 0;
  const sockets: Socket[] = [];
  const server = createServer(socket => {
    sockets.push(socket);
    socket.on('error', () => {}).on('data', () => asked++);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert(address !== null && typeof address === 'object');
  return {
    url: `http://127.0.0.1:${address.port}`,
    asked: () => asked,
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** When it logged this event. */
function timeOf(server: Started, event: string): number {
  const line = server.output().match(new RegExp(`^.*"event":"${event}".*$`, 'm'))?.[0] ?? '{}';
  return Date.parse(JSON.parse(line).time);
}

/** The line is logged shortly before the port is closed. */
async function isRefused(port: number): Promise<boolean> {
  try {
    (await opened(port)).destroy();
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ECONNREFUSED';
  }
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
