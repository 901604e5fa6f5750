/**
 * `npm run bench:profile -- refresh --store postgres [--floor]`: where the server, or the floor, spends its processor time
 * for one request, by cause and by function. The profile is left in bench/results/ for the flame chart of a browser's
 * developer tools.
 */
import { copyFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Work, works } from './fixture.ts';
import { endLoad, load } from './load/load.ts';
import { choice, parse, type StoreName } from './options.ts';
import { prepareFloor, startFloor } from './servers/floor.ts';
import { prepareGatehouse, startGatehouse } from './servers/gatehouse.ts';
import { openPlace, ROOT } from './servers/place.ts';

/** What V8 writes with --cpu-prof: functions as they were called, and which of them ran whenever it looked. */
interface Profile {
  readonly nodes: readonly { readonly id: number; readonly callFrame: CallFrame }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}
interface CallFrame {
  readonly functionName: string;
  readonly url: string;
  readonly lineNumber: number;
}

const WARM_UP_SECONDS = 3;
const PROFILED_SECONDS = 5;
const TOKENS = 20_000;
const CODES = 80_000;
const LOGOUTS = 40_000;
const CONNECTIONS = 128;
const RESULTS = new URL('results/', import.meta.url);

/** The first that matches the name and place of a function. */
const causes: readonly (readonly [cause: string, pattern: RegExp])[] = [
  ['garbage collection', /^\(garbage collector\)/],
  ['signature', /^signOneShot|^sign node:/],
  ['hashes', /^(oneShotDigest|hash|Hash|Hmac|createHmac|update|digest)\b/],
  ['random bytes', /randomBytes|randomFill|node:internal\/crypto\/random/],
  ['base64url, latin1, UTF-8', /^(base64url|latin1|utf8|ucs2|hex|ascii)?(Slice|Write)|node:(internal\/)?buffer/],
  ['writing to sockets', /^write(v|Latin1String|Buffer|Utf8String)\b/],
  ['promises and ticks', /^runMicrotasks|task_queues|async_hooks|^\(program\)/],
  ['the driver of PostgreSQL', /node_modules\/pg/],
  ['node:http, net, streams, events', /node:/],
  ['HTTP', /src\/(platform\/http|assembly)\//],
  ['the store', /src\/platform\/store\/|\b(store|queries|sqlite|postgres|citus)\.ts/],
  ['endpoints', /src\/oauth\/.*\b(endpoint|grant|issue)\.ts/],
  ['keys, rules, other parts of src', /src\//],
  ['the floor itself', /bench\//],
];

const { values, positionals } = parse({
  args: process.argv.slice(2),
  allowPositionals: true,
  options: { store: { type: 'string', default: 'sqlite' }, floor: { type: 'boolean', default: false } },
});
const work = choice(positionals[0], works);
const store = choice(values.store, ['sqlite', 'postgres'] as const);
try {
  await profile(store, work, values.floor);
} finally {
  endLoad();
}

async function profile(store: StoreName, work: Work, ofFloor: boolean): Promise<void> {
  const place = await openPlace(store);
  try {
    await prepareGatehouse(place, { tokens: TOKENS, codes: CODES, logouts: LOGOUTS });
    await prepareFloor(place);
    const nodeArgs = ['--cpu-prof', '--cpu-prof-interval=200', `--cpu-prof-dir=${place.folder}`];
    const gatehouse = await startGatehouse(place, ofFloor ? {} : { nodeArgs });
    const server = ofFloor ? await startFloor(place, gatehouse.target, nodeArgs) : gatehouse;
    const most = work === 'code' ? { most: CODES / 2 } : work === 'logout' ? { most: LOGOUTS / 2 } : {};
    await load(server.target, work, { connections: CONNECTIONS, seconds: WARM_UP_SECONDS, ...most });
    const sample = await load(server.target, work, { connections: CONNECTIONS, seconds: PROFILED_SECONDS, ...most });
    await server.stop();
    if (server !== gatehouse) await gatehouse.stop();
    const name = readdirSync(place.folder).find(name => name.endsWith('.cpuprofile')) ?? '';
    const kept = `${store}-${work}${ofFloor ? '-floor' : ''}.cpuprofile`;
    mkdirSync(RESULTS, { recursive: true });
    copyFileSync(join(place.folder, name), new URL(kept, RESULTS));
    const read: Profile = JSON.parse(readFileSync(join(place.folder, name), 'utf8'));
    print(ownTimes(read, sample.requests * (sample.serverCpu ?? 0)), sample.requests);
    process.stdout.write(`${work} on ${store}: ${sample.serverCpu?.toFixed(0)} µs; bench/results/${kept}\n`);
  } finally {
    await place.close();
  }
}

/** Microseconds by function, of the last so many in which the process did anything: before that it started and compiled. */
function ownTimes({ samples, timeDeltas, nodes }: Profile, window: number): Map<string, number> {
  const names = new Map(nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]));
  const times = new Map<string, number>();
  let seen = 0;
  for (let index = samples.length - 1; index >= 0 && seen < window; index--) {
    const name = names.get(samples[index] ?? 0) ?? '';
    if (name === '(idle)') continue;
    const time = timeDeltas[index] ?? 0;
    seen += time;
    times.set(name, (times.get(name) ?? 0) + time);
  }
  return times;
}

function nameOf({ functionName, url, lineNumber }: CallFrame): string {
  const place = url.replace(`${pathToFileURL(ROOT)}`, '');
  return `${functionName || '(anonymous)'}${place === '' ? '' : ` ${place}:${lineNumber + 1}`}`;
}

function print(times: ReadonlyMap<string, number>, requests: number): void {
  const line = (name: string, time: number) => `${(time / requests).toFixed(1).padStart(7)} µs  ${name}\n`;
  const grouped = Map.groupBy(times, ([name]) => causes.find(([, pattern]) => pattern.test(name))?.[0] ?? 'other');
  for (const [cause, entries] of grouped) {
    const sum = entries.reduce((sum, [, time]) => sum + time, 0);
    process.stdout.write(line(cause, sum));
  }
  process.stdout.write('\n');
  const longest = [...times].sort(([, a], [, b]) => b - a).slice(0, 40);
  for (const [name, time] of longest) process.stdout.write(line(name, time));
}
