/**
 * `npm run bench:overload`: three times the load that the server can handle, from another process: how long the served wait, how many
 * are rejected, how soon it is forgotten, and the memory it takes. `--nginx`: all callers share the connections of a proxy.
 * That the served are right, and the others get 503 with Retry-After, is in test/faults/overload.test.ts.
 */
import { tmpdir } from 'node:os';
import { startNginx } from '../test/build/nginx.ts';
import { onCore, residentMemory, runScript, startServer } from '../test/faults/server-process.ts';
import { temporaryFolder } from '../test/store/temporary-folder.ts';
import { BASIC, GATEHOUSE_SECRET } from './fixture.ts';
import type { Kind, Latencies, LoadOrder, Measured } from './load/open-loop.ts';
import { parse, positive, say } from './options.ts';
import { prepareGatehouse } from './servers/gatehouse.ts';

const FAMILIES = 5000;
const TIMES = 3;
/** Callers at once: on the fastest machine, more than are served within the 10 ms of a standing queue (platform/http/concurrency-limit.ts). */
const CALLERS = 512;
const CALLERS_OF_PROXY = 640;
/** A pool of connections that are all in use is no overload. */
const POOL = 128;
const LOW = 0.05;
const WINDOW_MS = 500;

const { values } = parse({
  options: { seconds: { type: 'string', default: '30' }, nginx: { type: 'boolean', default: false } },
});
const seconds = positive(values.seconds);
const folder = temporaryFolder(tmpdir());
await prepareGatehouse({ folder: folder.file('') }, { tokens: FAMILIES });
const server = await startServer({
  database: folder.file('gatehouse.db'),
  env: values.nginx
    ? { GATEHOUSE_SECRET, TRUSTED_PROXIES: '127.0.0.1' }
    : { GATEHOUSE_SECRET, GATEHOUSE_MAX_CONNECTIONS_PER_ADDRESS: '0' },
  under: onCore(0),
});
const proxy = values.nginx ? await startNginx({ upstream: server.port, tls: false, under: onCore(1) }) : undefined;
let memory = 0;
const watch = setInterval(() => {
  memory = Math.max(memory, residentMemory(server.pid));
}, 1000);
const order: LoadOrder = {
  port: proxy?.port ?? server.port,
  path: '/api/v1/authorize/bench/oauth2',
  authorization: BASIC,
  accessTokens: folder.file('gatehouse-access.txt'),
  refreshTokens: folder.file('gatehouse-refresh.txt'),
  connections: proxy ? CALLERS_OF_PROXY : CALLERS,
  phases: [
    { name: 'warm-up', kind: 'closed', connections: 32, seconds: 2, windowMs: 1000 },
    { name: 'capacity', kind: 'closed', connections: 32, seconds: 3, windowMs: 1000 },
    { name: 'unloaded', kind: 'times', capacity: LOW, seconds: 6, windowMs: 1000 },
    { name: 'overload', kind: 'times', capacity: TIMES, seconds, windowMs: 1000 },
    { name: 'afterwards', kind: 'times', capacity: LOW, seconds: 5, windowMs: WINDOW_MS },
    { name: 'pool', kind: 'closed', connections: POOL, seconds: 3, windowMs: 1000 },
  ],
};
say(`${TIMES} times the capacity for ${seconds} s…`);
const measured = await runScript<Measured>('../../bench/load/open-loop.ts', order, onCore(1));
clearInterval(watch);
for (const phase of measured) process.stdout.write(`${described(phase)}\n`);
const [, , unloaded, , afterwards] = measured;
for (const kind of ['token', 'introspection'] as const) {
  const usual = unloaded?.served[kind].p99 ?? Number.NaN;
  process.stdout.write(`${kind}: as fast as before ${recoveryMs(afterwards, kind, usual)} ms after the overload\n`);
}
process.stdout.write(`most memory: ${Math.round(memory)} MB\n`);
await server.kill('SIGTERM');
await proxy?.close();
folder.remove();

function described({ name, perSecond, sent, served, refused, others, starved, busy, turnMs }: Measured): string {
  const text = ({ count, p50, p99 }: Latencies) => `${count} in ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`;
  const all = `${sent} sent, ${Math.round(perSecond)}/s; token ${text(served.token)}; introspection ${text(served.introspection)}`;
  return `${name}: ${all}; 503 ${text(refused)}; ${others.length} others; ${starved} waited for a connection; load process ${Math.round(busy * 100)} % busy, ${turnMs.toFixed(1)} ms a turn`;
}

/** When the first window began in which the typical request took no longer than the slow ones did before the overload. */
function recoveryMs(afterwards: Measured | undefined, kind: Kind, before: number): number {
  const first = afterwards?.windows.findIndex(window => window[kind].count > 0 && window[kind].p50 <= before) ?? -1;
  return first < 0 ? Number.POSITIVE_INFINITY : first * WINDOW_MS;
}
