/**
 * `node bench/profile.ts introspection` (or any other work of the benchmark): where the server spends its time under it, as
 * shares of the time it was busy. Takes the options of the benchmark.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Work, works } from './fixture.ts';
import { endLoad, load } from './load/load.ts';
import { readOptions } from './options.ts';
import { prepareGatehouse, startGatehouse } from './servers/gatehouse.ts';

interface Profile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

const SHOWN = 45;
const WARM_UP_SECONDS = 2;
const PROFILED_SECONDS = 3;

const [work = '', ...rest] = process.argv.slice(2);
const options = readOptions(rest);
if (!options || !works.includes(work as Work)) {
  process.stderr.write(`Usage: node bench/profile.ts ${works.join('|')} [options of the benchmark]\n`);
  process.exit(64);
}
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-profile-'));
try {
  await prepareGatehouse({ folder }, options.tokens, options.codes);
  const server = await startGatehouse(
    { folder },
    {
      nodeArgs: ['--cpu-prof', '--cpu-prof-interval=200', `--cpu-prof-dir=${folder}`],
    },
  );
  const { connections, codes } = options;
  const most = work === 'code' ? { most: Math.floor(codes / 2) } : {};
  await load(server.target, work as Work, { connections, seconds: WARM_UP_SECONDS, ...most });
  const { perSecond } = await load(server.target, work as Work, { connections, seconds: PROFILED_SECONDS, ...most });
  endLoad();
  await server.stop();
  const file = readdirSync(folder).find(name => name.endsWith('.cpuprofile')) ?? '';
  process.stdout.write(`${work}: ${Math.round(perSecond)} requests/s while profiled\n\n`);
  process.stdout.write(selfTimes(JSON.parse(readFileSync(join(folder, file), 'utf8'))));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** A function's own time, without what it calls. Idle time is left out. */
function selfTimes({ nodes, samples, timeDeltas }: Profile): string {
  const names = new Map(nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]));
  const times = new Map<string, number>();
  samples.forEach((id, index) => {
    const name = names.get(id) ?? '';
    times.set(name, (times.get(name) ?? 0) + (timeDeltas[index] ?? 0));
  });
  times.delete('(idle)');
  const total = [...times.values()].reduce((sum, time) => sum + time, 0);
  return [...times]
    .sort(([, a], [, b]) => b - a)
    .slice(0, SHOWN)
    .map(([name, time]) => `${((time / total) * 100).toFixed(1).padStart(5)} %  ${name}\n`)
    .join('');
}

function nameOf({ functionName, url, lineNumber }: Profile['nodes'][number]['callFrame']): string {
  const place = url.replace(/^file:.*?\/(src|node_modules)\//, '$1/');
  return `${functionName || '(anonymous)'}${place === '' ? '' : `  ${place}:${lineNumber + 1}`}`;
}
