import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { sampleOf } from '../build/exposition.ts';
import { freePort } from '../build/test-server.ts';
import { type TemporaryFolder, temporaryFolder } from '../store/temporary-folder.ts';
import { gatehouse, nodeStart, type Started } from './run.ts';

const STARTED = '"event":"started"';
const WORKERS = 3;
const APPLICATION = {
  applications: [
    {
      code: 'shop',
      name: 'Shop',
      clients: [
        {
          client_id: 'web',
          client_secret: 'web-secret-1',
          redirect_uris: ['https://client.example/cb'],
          grant_types: ['authorization_code', 'refresh_token', 'password'],
        },
      ],
    },
  ],
  users: [{ username: 'alice', password: 'correct horse battery staple' }],
};

describe('several processes on one port (issue 4, point 5)', () => {
  let folder: TemporaryFolder;
  let port: number;
  let env: Record<string, string>;
  const running: Started[] = [];
  const callers: Caller[] = [];
  beforeEach(async () => {
    folder = temporaryFolder();
    port = await freePort();
    env = {
      PORT: String(port),
      BASE_URL: `http://127.0.0.1:${port}`,
      DATABASE_URL: `sqlite:${folder.file('gatehouse.db')}`,
      GATEHOUSE_WORKERS: String(WORKERS),
      GATEHOUSE_DEMO: 'false',
    };
  });
  afterEach(() => {
    for (const caller of callers.splice(0)) caller.hangUp();
    for (const server of running.splice(0)) server.destroy();
    folder.remove();
  });

  const start = async (over: Record<string, string> = {}) => {
    const server = nodeStart({ ...env, ...over });
    running.push(server);
    await server.printed(STARTED);
    return server;
  };
  const apply = async (file: object) => {
    const name = folder.file('apply.json');
    writeFileSync(name, JSON.stringify(file));
    const ran = await gatehouse(['apply', name], env);
    assert.equal(ran.code, 0, ran.err);
  };
  const calling = () => {
    const caller = new Caller(port);
    callers.push(caller);
    return caller;
  };
  /** An idle worker accepts the next connection: with a few at a time, soon each worker has one. */
  const oneAtEach = async () => {
    const found = new Map<string, Caller>();
    for (let round = 0; round < 60 && found.size < WORKERS; round++) {
      const some = Array.from({ length: 6 }, calling);
      const heard = await Promise.all(some.map(caller => caller.get('/healthz')));
      for (const [index, { process }] of heard.entries()) found.set(process, some[index] as Caller);
    }
    assert.equal(found.size, WORKERS, `only ${found.size} processes answer`);
    return [...found.values()];
  };

  it('share it: requests are answered by all of them, and the demo is shown once', async () => {
    const server = await start({ GATEHOUSE_DEMO: 'true' });
    assert.equal(server.output().split('created a demo application').length - 1, 1);
    assert.equal(new Set(pidsIn(server)).size, WORKERS);
    await oneAtEach();
    assert.equal(await server.stop(), 0);
    await server.printed('"event":"stopped"');
  });

  it('lose no acknowledged token when one is killed under load, and it is replaced', async t => {
    await apply(APPLICATION);
    const server = await start();
    const seeds = await Promise.all(
      Array.from({ length: 6 }, () => calling().token({ grant_type: 'password', ...ALICE })),
    );
    const kept: string[] = [];
    let failed = 0;
    let done = false;
    const load = seeds.map(async ({ json }) => {
      let refreshToken = json.refresh_token;
      let caller = calling();
      while (!done) {
        try {
          const { status, json, text } = await caller.token({
            grant_type: 'refresh_token',
            refresh_token: refreshToken,
          });
          assert.equal(status, 200, text);
          refreshToken = json.refresh_token;
          kept.push(json.access_token);
          await pause(3);
        } catch (error) {
          if (error instanceof assert.AssertionError) throw error;
          // The connection broke with its worker; the retry is answered by another one.
          failed++;
          caller = calling();
        }
      }
    });
    for (let kill = 0; kill < 2; kill++) {
      await pause(500);
      const [victim = 0] = pidsIn(server).filter(isAlive);
      process.kill(victim, 'SIGKILL');
      await eventually(() => pidsIn(server).length === WORKERS + kill + 1, 'a replacement');
    }
    await pause(300);
    done = true;
    await Promise.all(load);
    const checked = await Promise.all(
      (await oneAtEach()).map(async caller => {
        let lost = 0;
        for (const token of kept) if (!(await caller.introspect(token)).json.active) lost++;
        return lost;
      }),
    );
    t.diagnostic(
      `2 workers killed; ${kept.length} token sets acknowledged, ${failed} requests broken off, lost ${checked}`,
    );
    assert(kept.length > 20, `${kept.length} is no load`);
    assert.deepEqual(checked, Array(WORKERS).fill(0));
    assert.equal(pidsIn(server).filter(isAlive).length, WORKERS);
  });

  it('come back after pauses that grow while they keep dying', async () => {
    const server = await start({ GATEHOUSE_WORKERS: '2' });
    for (let kill = 0; kill < 4; kill++) {
      process.kill(pidsIn(server).findLast(isAlive) ?? 0, 'SIGKILL');
      await eventually(() => pidsIn(server).length === 2 + kill + 1, 'a replacement');
    }
    const pauses = [...server.output().matchAll(/"event":"worker.died".*"pause":(\d+)/g)].map(([, ms]) => Number(ms));
    assert.deepEqual(pauses, [0, 100, 200, 400]);
  });

  it('write one SQLite file at the same time, and no write is lost or refused', async t => {
    await apply(APPLICATION);
    await start();
    const each = await oneAtEach();
    const { json } = await (each[0] as Caller).token({ grant_type: 'password', ...ALICE });
    assert(json.access_token);
    const lines = await Promise.all(
      each
        .flatMap(caller => Array.from({ length: 4 }, () => caller))
        .map(async caller => {
          let { json, status } = await caller.token({ grant_type: 'password', ...ALICE });
          const tokens: string[] = [];
          const faults: number[] = status === 200 ? [] : [status];
          for (let count = 0; count < 25; count++) {
            const answered = await caller.token({ grant_type: 'refresh_token', refresh_token: json.refresh_token });
            if (answered.status !== 200) faults.push(answered.status);
            else {
              json = answered.json;
              tokens.push(json.access_token);
            }
          }
          return { tokens, faults };
        }),
    );
    const tokens = lines.flatMap(line => line.tokens);
    const faults = lines.flatMap(line => line.faults);
    let lost = 0;
    for (const [index, token] of tokens.entries()) {
      if (!(await (each[index % WORKERS] as Caller).introspect(token)).json.active) lost++;
    }
    t.diagnostic(`${WORKERS} writers, ${tokens.length} writes acknowledged, ${faults.length} refused, ${lost} lost`);
    assert.deepEqual({ tokens: tokens.length, faults, lost }, { tokens: 300, faults: [], lost: 0 });
  });

  it('SIGTERM drains: requests in flight finish, /readyz says so, and the exit is 0 within 10 s', async () => {
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
    const began = performance.now();
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
    assert(performance.now() - began < 10_000);
    assert.deepEqual(pidsIn(server).filter(isAlive), []);
  });

  it('a signal to the whole process group, as by Ctrl-C, replaces no worker and exits 0', async () => {
    const server = await start();
    const pids = pidsIn(server);
    for (const pid of pids) process.kill(pid, 'SIGINT');
    assert.equal(await server.stop('SIGINT'), 0);
    assert.deepEqual(pidsIn(server), pids);
    assert.doesNotMatch(server.output(), /worker.died/);
  });

  it('a worker that receives SIGTERM itself is not replaced', async () => {
    const server = await start();
    process.kill(pidsIn(server)[0] ?? 0, 'SIGTERM');
    await server.printed('"event":"worker.left"');
    await pause(700);
    assert.equal(pidsIn(server).length, WORKERS);
    assert.equal((await calling().get('/healthz')).status, 200);
  });

  it('workers without their primary finish what they have and end', async () => {
    const server = await start();
    const pids = pidsIn(server);
    const slow = await opened(port);
    slow.write('GET /healthz HTTP/1.1\r\nHost: x\r\n');
    await oneAtEach();
    void server.stop('SIGKILL');
    await eventually(() => pids.filter(isAlive).length <= 1, 'the idle ones end');
    await pause(200);
    assert.equal(pids.filter(isAlive).length, 1, 'one still has a request');
    slow.write('\r\n');
    assert.match(await everything(slow), /^HTTP\/1\.1 200 /);
    await eventually(() => pids.filter(isAlive).length === 0, 'the last one ends');
  });

  it('see within a second what "gatehouse apply" changed', async () => {
    await apply(APPLICATION);
    await start();
    const each = await oneAtEach();
    const works = async (caller: Caller, secret: string) =>
      (await caller.introspect('none', basic('web', secret))).status === 200;
    for (const caller of each) assert(await works(caller, 'web-secret-1'));
    const [application] = structuredClone(APPLICATION.applications);
    const [client] = application?.clients ?? [];
    if (client) client.client_secret = 'web-secret-2';
    await apply({ applications: [application] });
    await pause(1000);
    for (const caller of each) {
      assert.equal(await works(caller, 'web-secret-1'), false);
      assert.equal(await works(caller, 'web-secret-2'), true);
    }
  });

  it('count failed logins together: the limit is that of one', async t => {
    await apply(APPLICATION);
    await start();
    const statuses: number[] = [];
    for (const caller of await oneAtEach()) {
      for (let count = 0; count < 6; count++) {
        statuses.push((await caller.token({ grant_type: 'password', username: 'mallory', password: 'guess' })).status);
      }
    }
    const throttled = statuses.filter(status => status === 429).length;
    t.diagnostic(`18 guesses at ${WORKERS} workers: ${throttled} throttled`);
    assert.equal(throttled, 8);
  });

  it('count guesses at a client secret together, and all know the address where it was right', async () => {
    await apply(APPLICATION);
    await start();
    const each = await oneAtEach();
    const tried = async (caller: Caller, secret: string) =>
      (await caller.introspect('none', basic('web', secret))).status;
    const statuses: number[] = [];
    for (const caller of each) {
      for (let count = 0; count < 12; count++) statuses.push(await tried(caller, `a wrong secret ${count}`));
    }
    // 30 at once, and one more every five seconds that the test takes.
    const throttled = statuses.filter(status => status === 429).length;
    assert(throttled > 0 && statuses.slice(0, 24).every(status => status === 401), statuses.join(' '));

    await eventually(async () => (await tried(each[0] as Caller, 'web-secret-1')) === 200, 'an attempt is free again');
    for (let count = 0; count < 40; count++) await tried(each[1] as Caller, `another wrong secret ${count}`);
    assert.equal(await tried(each[1] as Caller, 'another wrong secret'), 429);
    for (const caller of each) assert.equal(await tried(caller, 'web-secret-1'), 200);
  });

  it('have their metrics collected together, and a worker that died stays counted', async () => {
    const metricsPort = await freePort();
    const token = 'a-token-for-the-collector';
    const server = await start({ GATEHOUSE_METRICS_PORT: String(metricsPort), GATEHOUSE_METRICS_TOKEN: token });
    const authorization = `Bearer ${token}`;
    const collect = async (address = metricsPort) =>
      (await fetch(`http://127.0.0.1:${address}/metrics`, { headers: { authorization } })).text();
    for (const caller of await oneAtEach()) for (let count = 0; count < 5; count++) await caller.get('/docs/errors');
    const asked = (text: string) =>
      sampleOf(text, 'gatehouse_request_duration_seconds_count', { route: '/docs/errors', status: '2xx' });
    const purges = (text: string) =>
      sampleOf(text, 'gatehouse_store_operation_duration_seconds_count', { operation: 'purge' });
    await eventually(async () => purges(await collect()) > 0, 'a purge');
    const first = await collect();
    assert.equal(asked(first), 15);
    assert.equal(purges(first), 1, 'one worker purges, and it does so when it starts');
    assert.equal(asked(await collect(port)), 15, 'the main port shows those of all workers too');
    process.kill(pidsIn(server)[0] ?? 0, 'SIGKILL');
    await eventually(() => pidsIn(server).length === WORKERS + 1, 'a replacement');
    const text = await collect();
    assert.equal(asked(text), 15);
    assert.equal(sampleOf(text, 'gatehouse_workers'), WORKERS);
    assert.equal(sampleOf(text, 'gatehouse_workers_replaced_total'), 1);
    // The first that came up was the one that purged.
    await eventually(async () => purges(await collect()) === 2, 'another worker purges');
  });

  it('show metrics also while one of them is stuck, and no count goes backwards', async () => {
    const token = 'a-token-for-the-collector';
    const server = await start({ GATEHOUSE_METRICS_TOKEN: token });
    const each = await oneAtEach();
    for (const caller of each) await caller.get('/docs/errors');
    const asked = (text: string) =>
      sampleOf(text, 'gatehouse_request_duration_seconds_count', { route: '/docs/errors', status: '2xx' });
    const collect = async (caller: Caller) =>
      asked((await caller.get('/metrics', { authorization: `Bearer ${token}` })).text);
    for (const caller of each) assert.equal(await collect(caller), WORKERS);
    const stuck = pidsIn(server)[0] ?? 0;
    process.kill(stuck, 'SIGSTOP');
    try {
      const counts = await Promise.all(each.map(caller => Promise.race([collect(caller), pause(4000, 'stuck')])));
      assert.deepEqual(counts.sort(), [WORKERS, WORKERS, 'stuck']);
    } finally {
      process.kill(stuck, 'SIGCONT');
    }
  });

  it('on a port that is taken say so once and exit 69', async () => {
    await start({ GATEHOUSE_WORKERS: '1' });
    const second = nodeStart({ ...env, DATABASE_URL: `sqlite:${folder.file('other.db')}` });
    running.push(second);
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
    const server = nodeStart({ ...env, LOG_LEVEL: 'x' });
    running.push(server);
    assert.equal(await server.ended, 78);
    assert.equal(server.output().trimEnd().split('\n').length, 1, server.output());
  });
});

const ALICE = { username: 'alice', password: 'correct horse battery staple' };

interface Heard {
  readonly status: number;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly json: any;
  /** The part of X-Request-Id that is the same for all answers of a process. */
  readonly process: string;
}

/** A client with one connection, which it keeps: all its requests reach the same worker. */
class Caller {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #port: number;

  constructor(port: number) {
    this.#port = port;
  }

  get = (path: string, headers: Record<string, string> = {}) => this.#send('GET', path, headers, '');
  token = (fields: Record<string, string>) => this.#form('token', fields, basic('web', 'web-secret-1'));
  introspect = (token: string, authorization = basic('web', 'web-secret-1')) =>
    this.#form('introspect', { token }, authorization);

  hangUp(): void {
    this.#agent.destroy();
  }

  #form(name: string, fields: Record<string, string>, authorization: string): Promise<Heard> {
    const headers = { 'content-type': 'application/x-www-form-urlencoded', authorization };
    return this.#send('POST', `/api/v1/authorize/shop/oauth2/${name}`, headers, new URLSearchParams(fields).toString());
  }

  #send(method: string, path: string, headers: Record<string, string>, body: string): Promise<Heard> {
    return new Promise((resolve, reject) => {
      const asked = request(
        { agent: this.#agent, host: '127.0.0.1', port: this.#port, method, path, headers },
        async answer => {
          try {
            const text = (await answer.toArray()).join('');
            const json = answer.headers['content-type'] === 'application/json' ? JSON.parse(text) : undefined;
            const process = String(answer.headers['x-request-id']).split('-')[0] ?? '';
            resolve({ status: answer.statusCode ?? 0, text, json, process });
          } catch (error) {
            reject(error);
          }
        },
      );
      asked.on('error', reject).end(body);
    });
  }
}

function basic(id: string, secret: string): string {
  return `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
}

/** Of every worker that came up so far, oldest first. */
function pidsIn(server: Started): number[] {
  return [...server.output().matchAll(/"event":"worker.started","pid":(\d+)/g)].map(([, pid]) => Number(pid));
}

/** A zombie, whose parent has not read its exit code, is not alive. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== 'linux' || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

async function eventually(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (const end = performance.now() + 8000; performance.now() < end; await pause(20)) if (await holds()) return;
  assert.fail(`${what}: not within 8 s`);
}

function opened(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket)).once('error', reject);
  });
}

async function canConnect(port: number): Promise<boolean> {
  try {
    (await opened(port)).destroy();
    return true;
  } catch {
    return false;
  }
}

async function everything(socket: Socket): Promise<string> {
  let text = '';
  for await (const chunk of socket) text += chunk;
  return text;
}
