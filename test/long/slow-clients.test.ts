import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { aTokenSet, introspect, refresh } from '../build/client.ts';
import { startNginx } from '../build/nginx.ts';
import type { ServerAddress } from '../build/test-server.ts';
import { provisioned, residentMemory, runScript, type ServerProcess, startServer } from '../faults/server-process.ts';
import type { SlowOrder, SlowResult } from '../faults/slow-clients.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';

const IDLE = 5000;
/** More than are handled at the same time (platform/http/concurrency-limit.ts). */
const EACH = 300;

describe('slow, endless and deaf clients', () => {
  it('are cut off, and others are served meanwhile', async t => {
    const server = await aServer(t, { GATEHOUSE_MAX_CONNECTIONS_PER_ADDRESS: '0' });
    const results = await withstand(t, server, server, 180);
    for (const { kind, count, cutOff } of results) assert.equal(cutOff, count, `${kind}: some were let stay`);
    assert.equal(await server.kill('SIGTERM'), 0);
  });

  it('take nothing from others behind nginx either, which cuts them off itself', async t => {
    const server = await aServer(t, { TRUSTED_PROXIES: '127.0.0.1' });
    const nginx = await startNginx({ upstream: server.port, tls: false });
    t.after(() => nginx.close());
    const base = `http://127.0.0.1:${nginx.port}`;
    const door = { base, port: nginx.port, at: (app = 'shop') => server.at(app).replace(server.base, base) };
    const results = await withstand(t, server, door, 60);
    for (const { kind, count, cutOff } of results.filter(({ kind }) => /idle|headers|byte/.test(kind))) {
      assert.equal(cutOff, count, `${kind}: some were let stay`);
    }
    assert.equal(await server.kill('SIGTERM'), 0);
  });
});

async function aServer(t: TestContext, env: Readonly<Record<string, string>>): Promise<ServerProcess> {
  const folder = temporaryFolder();
  t.after(() => folder.remove());
  const database = folder.file('gatehouse.db');
  await provisioned(database);
  const server = await startServer({ database, env });
  t.after(() => server.kill('SIGKILL'));
  return server;
}

/** Where callers come in: the server itself, or a proxy before it. */
type Entrance = ServerAddress & Pick<ServerProcess, 'port'>;

async function withstand(
  t: TestContext,
  server: ServerProcess,
  door: Entrance,
  seconds: number,
): Promise<SlowResult[]> {
  const limit = execFileSync('sh', ['-c', 'ulimit -Hn'], { encoding: 'utf8' }).trim();
  t.diagnostic(`this process may open ${limit} files`);
  const before = residentMemory(server.pid);
  // Both ends of a connection are on this machine, but in two processes.
  const idle = Math.min(IDLE, limit === 'unlimited' ? IDLE : Number(limit) - 2000);
  const path = '/api/v1/authorize/shop/oauth2';
  const order: SlowOrder = { port: door.port, path, idle, others: EACH, seconds };
  let running = true;
  const slow = runScript<SlowResult>('slow-clients.ts', order).finally(() => {
    running = false;
  });
  const { latencies, memory } = await servedMeanwhile(door, server.pid, () => running);
  const results = await slow;

  for (const { kind, count, cutOff, longestMs, answers } of results) {
    t.diagnostic(
      `${kind}: ${cutOff} of ${count} cut off, the last after ${Math.round(longestMs)} ms; ${JSON.stringify(answers)}`,
    );
  }
  const sorted = latencies.sort((a, b) => a - b);
  const at = (part: number) => sorted[Math.floor(sorted.length * part)] ?? 0;
  t.diagnostic(
    `${sorted.length} requests of others: median ${at(0.5).toFixed(1)} ms, p99 ${at(0.99).toFixed(1)} ms; memory ${Math.round(before)} MB, at most ${Math.round(memory)} MB`,
  );
  assert(sorted.length > 50);
  assert.doesNotMatch(server.output(), /request\.fault|reply\.fault/);
  return results;
}

/** A well-behaved client: a refresh and an introspection ten times a second, every one of which must succeed. */
async function servedMeanwhile(server: ServerAddress, pid: number, running: () => boolean) {
  let { access_token: access, refresh_token: next } = await aTokenSet(server);
  const latencies: number[] = [];
  let memory = 0;
  while (running()) {
    const began = performance.now();
    const answered = await refresh(server, next);
    assert.equal(answered.status, 200, answered.text);
    latencies.push(performance.now() - began);
    ({ access_token: access, refresh_token: next } = answered.json);
    const asked = performance.now();
    const { json } = await introspect(server, { token: access });
    assert.equal(json.active, true);
    latencies.push(performance.now() - asked);
    if (latencies.length % 20 === 0) memory = Math.max(memory, residentMemory(pid));
    await pause(100);
  }
  return { latencies, memory };
}
