/**
 * `npm run bench`: how Gatehouse on its embedded store compares with a bare HTTP server and with oidc-provider in memory, or
 * with --store postgres, both on PostgreSQL; measured in turn in one run. Absolute figures belong to the machine; the ratios are what the targets are about.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../scripts/postgres.ts';
import { checkAnswers, checkAuthorization } from './check.ts';
import { canPin, pause, residentMemory } from './child.ts';
import { createDatabase } from './databases.ts';
import type { Target } from './fixture.ts';
import { generator, load, type Work } from './load/load.ts';
import { HELP, type Options, readOptions } from './options.ts';
import { type Measurement, type Process, report } from './report.ts';
import {
  type Place,
  prepareGatehouse,
  type Started,
  startFloor,
  startGatehouse,
  startOidcProvider,
} from './servers/start.ts';

const STARTS = 5;
const SETTLE_MS = 3000;

const options = readOptions(process.argv.slice(2));
if (!options) {
  process.stderr.write(`${HELP}\n`);
  process.exit(64);
}
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-bench-'));
const postgres = options.store === 'postgres' ? await startPostgres() : undefined;
try {
  await bench(options, { folder, ...(postgres && { databases: await createDatabases(postgres.url) }) });
} finally {
  await postgres?.remove();
  rmSync(folder, { recursive: true, force: true });
}

async function bench(options: Options, place: Place): Promise<void> {
  say(`Preparing ${options.tokens} live tokens for each server…`);
  prepareGatehouse(place, options.tokens);
  const { gatehouse, figures } = await startRepeatedly(place);
  const oidcProvider = await startOidcProvider(place, options.tokens);
  const answers = await checkAnswers(gatehouse.target);
  await checkAuthorization(gatehouse.target);
  await checkAnswers(oidcProvider.target);
  const floor = await startFloor(gatehouse.target, answers);
  await checkAnswers(floor.target);

  const all = [gatehouse.target, floor.target, oidcProvider.target];
  const plan: readonly [Work, readonly Target[]][] = [
    ['introspection', all],
    ['userinfo', all],
    ['refresh', [gatehouse.target, oidcProvider.target]],
    ['authorization', [gatehouse.target, floor.target]],
  ];
  const measurements = await measure(plan, options);
  await checkAnswers(gatehouse.target);
  await checkAnswers(oidcProvider.target);
  const memory = { ...figures, rssAfterLoad: residentMemory(gatehouse.target.pid) };
  for (const { stop } of [gatehouse, floor, oidcProvider]) await stop();
  publish(options, measurements, memory);
}

/** The first start finds no compiled sources, the others those of `npm ci`. The last one stays, and is left alone for its idle memory. */
async function startRepeatedly(place: Place): Promise<{ gatehouse: Started; figures: Omit<Process, 'rssAfterLoad'> }> {
  say(`Starting Gatehouse ${STARTS} times…`);
  const starts: number[] = [];
  let gatehouse = await startGatehouse(place, { codeCache: join(place.folder, 'no-code-yet') });
  starts.push(gatehouse.milliseconds);
  while (starts.length < STARTS) {
    await gatehouse.stop();
    gatehouse = await startGatehouse(place);
    starts.push(gatehouse.milliseconds);
  }
  await pause(SETTLE_MS);
  return { gatehouse, figures: { starts, rssIdle: residentMemory(gatehouse.target.pid) } };
}

/** A round that does not count, for the compiler, then those that do. Every round begins elsewhere among the tokens. */
async function measure(plan: readonly [Work, readonly Target[]][], options: Options): Promise<readonly Measurement[]> {
  const measurements: Measurement[] = [];
  for (let round = 0; round <= options.rounds; round++) {
    const warmUp = round === 0;
    say(warmUp ? 'Warming up…' : `Round ${round} of ${options.rounds}…`);
    for (const [work, targets] of plan) {
      const first = Math.floor((round / (options.rounds + 1)) * options.tokens);
      // Who comes first changes from round to round.
      const order = [...targets.slice(round % targets.length), ...targets.slice(0, round % targets.length)];
      for (const target of order) {
        const sample = await load(target, work, options, first);
        if (!warmUp) measurements.push({ work, server: target.name, round, ...sample });
      }
    }
  }
  return measurements;
}

async function createDatabases(server: string): Promise<{ gatehouse: string; oidcProvider: string }> {
  return {
    gatehouse: await createDatabase(server, 'gatehouse'),
    oidcProvider: await createDatabase(server, 'oidc_provider'),
  };
}

function publish(options: Options, measurements: readonly Measurement[], memory: Process): void {
  const setting = { node: process.version, cpu: cpus()[0]?.model, cores: cpus().length, pinned: canPin, generator };
  const { table, rows } = report(options.store, measurements, memory);
  const results = new URL('results/', import.meta.url);
  mkdirSync(results, { recursive: true });
  const file = new URL(`${new Date().toISOString().replaceAll(':', '-')}.json`, results);
  writeFileSync(file, `${JSON.stringify({ setting, options, rows, memory, measurements }, null, 2)}\n`);
  const pinning = canPin ? 'each server on one core, the load on another' : 'not pinned to cores';
  process.stdout.write(`\nNode.js ${setting.node}, ${setting.cores} × ${setting.cpu}, ${generator}, ${pinning}, `);
  process.stdout.write(`${options.tokens} tokens, ${options.connections} connections, `);
  process.stdout.write(`${options.rounds} rounds of ${options.seconds} s.\n\n${table}\n`);
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
