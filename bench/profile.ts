/**
 * `npm run bench:profile -- introspection` (or any other work of the benchmark): where the server spends its time under it, as
 * shares of the time it was busy, and as a flame graph under bench/flame. Takes the options of the benchmark.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../scripts/postgres.ts';
import { createDatabase } from './databases.ts';
import { type Work, works } from './fixture.ts';
import { endLoad, load } from './load/load.ts';
import { type Options, readOptions, type StoreName } from './options.ts';
import { flameGraph } from './report/flame-graph.ts';
import { callTree, type Profile, type Stack, selfTimes } from './report/profile.ts';
import { GATEHOUSE, prepareGatehouse, startGatehouse } from './servers/gatehouse.ts';
import type { Place } from './servers/place.ts';
import { endStatements, postgresSettings } from './statements.ts';

const SHOWN = 45;
const WARM_UP_SECONDS = 3;
const PROFILED_SECONDS = 4;

const [work = '', ...rest] = process.argv.slice(2);
const options = readOptions(rest);
if (!options || !works.includes(work as Work)) {
  process.stderr.write(`Usage: npm run bench:profile -- ${works.join('|')} [options of the benchmark]\n`);
  process.exit(64);
}
for (const store of options.stores) await profileOn(store, work as Work, options);
endLoad();

async function profileOn(store: StoreName, work: Work, options: Options): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-profile-'));
  const postgres = store === 'postgres' ? await startPostgres({ settings: postgresSettings }) : undefined;
  try {
    if (postgres) await createDatabase(postgres.url, GATEHOUSE);
    const { perSecond, profile } = await take({ folder, ...(postgres && { postgres }) }, work, options);
    process.stdout.write(
      `${work} on ${store}: ${Math.round(perSecond)} requests/s while profiled\n\n${table(profile)}`,
    );
    write(store, work, profile);
  } finally {
    await endStatements();
    await postgres?.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function take(place: Place, work: Work, { connections, tokens, codes }: Options) {
  await prepareGatehouse(place, { tokens, codes });
  const { folder } = place;
  const nodeArgs = ['--cpu-prof', '--cpu-prof-interval=200', `--cpu-prof-dir=${folder}`];
  const server = await startGatehouse(place, { nodeArgs });
  const most = work === 'code' ? { most: Math.floor(codes / 2) } : {};
  await load(server.target, work, { connections, seconds: WARM_UP_SECONDS, ...most });
  const { perSecond } = await load(server.target, work, { connections, seconds: PROFILED_SECONDS, ...most });
  await server.stop();
  const file = readdirSync(folder).find(name => name.endsWith('.cpuprofile')) ?? '';
  const profile: Profile = JSON.parse(readFileSync(join(folder, file), 'utf8'));
  return { perSecond, profile: callTree(profile, PROFILED_SECONDS) };
}

function table(stack: Stack): string {
  return selfTimes(stack)
    .slice(0, SHOWN)
    .map(([name, share]) => `${(share * 100).toFixed(1).padStart(5)} %  ${name}\n`)
    .join('');
}

function write(store: StoreName, work: Work, stack: Stack): void {
  const folder = new URL('flame/', import.meta.url);
  mkdirSync(folder, { recursive: true });
  writeFileSync(new URL(`${store}-${work}.svg`, folder), flameGraph(`${work} on ${store}`, stack));
}
