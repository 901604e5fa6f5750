import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { describe, it } from 'node:test';
import { everything, opened } from './raw-socket.ts';
import { eventually, isAlive, pidsIn, useWorkers, WORKERS } from './workers-fixture.ts';

describe('several processes on one port (issue 4, point 5)', () => {
  const workers = useWorkers();

  it('share it: requests are answered by all of them, and the demo is shown once', async () => {
    const { start, oneAtEach } = workers;
    const server = await start({ GATEHOUSE_DEMO: 'true' });
    assert.equal(server.output().split('created a demo application').length - 1, 1);
    assert.equal(new Set(pidsIn(server)).size, WORKERS);
    await oneAtEach();
    assert.equal(await server.stop(), 0);
    await server.printed('"event":"stopped"');
  });

  it('come back after pauses that grow while they keep dying', async () => {
    const { start } = workers;
    const server = await start({ GATEHOUSE_WORKERS: '2' });
    for (let kill = 0; kill < 4; kill++) {
      process.kill(pidsIn(server).findLast(isAlive) ?? 0, 'SIGKILL');
      await eventually(() => pidsIn(server).length === 2 + kill + 1, 'a replacement');
    }
    const pauses = [...server.output().matchAll(/"event":"worker.died".*"pause":(\d+)/g)].map(([, ms]) => Number(ms));
    assert.deepEqual(pauses, [0, 100, 200, 400]);
  });

  it('SIGTERM drains: requests in flight finish, /readyz says so, and the exit is 0', async () => {
    const { port, start, oneAtEach } = workers;
    const server = await start();
    const held = await Promise.all([opened(port), opened(port), opened(port)]);
    const [slow, ready, health] = held as [Socket, Socket, Socket];
    const body = 'grant_type=refresh_token&refresh_token=unknown';
    slow.write(
      `POST /api/v1/authorize/shop/oauth2/token HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n` +
        `Content-Type: application/x-www-form-urlencoded\r\n\r\n${body.slice(0, 9)}`,
    );
    for (const [index, path] of ['/readyz', '/healthz'].entries()) {
      (held[index + 1] as Socket).write(`GET ${path} HTTP/1.1\r\nHost: x\r\n`);
    }
    await oneAtEach();
    const ended = server.stop();
    await server.printed('"event":"draining"');
    await eventually(async () => !(await canConnect(port)), 'no new connections');
    ready.write('\r\n');
    health.write('\r\n');
    assert.match(await everything(ready), /^HTTP\/1\.1 503 [\s\S]*"reason":"draining"/);
    assert.match(await everything(health), /^HTTP\/1\.1 200 [\s\S]*ok\n$/);
    slow.write(body.slice(9));
    assert.match(await everything(slow), /^HTTP\/1\.1 404 [\s\S]*"error"/);
    assert.equal(await ended, 0);
    assert.deepEqual(pidsIn(server).filter(isAlive), []);
  });

  it('a signal to the whole process group, as by Ctrl-C, replaces no worker and exits 0', async () => {
    const { start } = workers;
    const server = await start();
    const pids = pidsIn(server);
    for (const pid of pids) process.kill(pid, 'SIGINT');
    assert.equal(await server.stop('SIGINT'), 0);
    assert.deepEqual(pidsIn(server), pids);
    assert.doesNotMatch(server.output(), /worker.died/);
  });

  it('a worker that receives SIGTERM itself is not replaced', async () => {
    const { start, calling } = workers;
    const server = await start();
    const [left = 0, killed = 0] = pidsIn(server);
    process.kill(left, 'SIGTERM');
    await server.printed('"event":"worker.left"');
    process.kill(killed, 'SIGKILL');
    await eventually(() => pidsIn(server).length > WORKERS, 'a replacement of the other one');
    assert.equal(pidsIn(server).filter(isAlive).length, WORKERS - 1);
    assert.equal((await calling().get('/healthz')).status, 200);
  });

  it('workers without their primary finish what they have and end', async () => {
    const { port, start, oneAtEach } = workers;
    const server = await start();
    const pids = pidsIn(server);
    const slow = await opened(port);
    slow.write('GET /healthz HTTP/1.1\r\nHost: x\r\n');
    await oneAtEach();
    void server.stop('SIGKILL');
    await eventually(() => pids.filter(isAlive).length <= 1, 'the idle ones end');
    assert.equal(pids.filter(isAlive).length, 1, 'one still has a request');
    slow.write('\r\n');
    assert.match(await everything(slow), /^HTTP\/1\.1 200 /);
    await eventually(() => pids.filter(isAlive).length === 0, 'the last one ends');
  });

  it('on a port that is taken say so once and exit 69', async () => {
    const { folder, launch, start } = workers;
    await start({ GATEHOUSE_WORKERS: '1' });
    const second = launch({ DATABASE_URL: `sqlite:${folder.file('other.db')}` });
    assert.equal(await second.ended, 69);
    assert.equal(
      second
        .output()
        .split('\n')
        .filter(line => line.startsWith('cannot listen')).length,
      1,
      second.output(),
    );
  });

  it('with a wrong setting say so once and exit 78', async () => {
    const { launch } = workers;
    const server = launch({ LOG_LEVEL: 'x' });
    assert.equal(await server.ended, 78);
    assert.equal(server.output().trimEnd().split('\n').length, 1, server.output());
  });
});

async function canConnect(port: number): Promise<boolean> {
  try {
    (await opened(port)).destroy();
    return true;
  } catch {
    return false;
  }
}
