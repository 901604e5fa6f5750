/**
 * `npm run bench`: how fast Gatehouse is on each of its stores, against the floor (the same statements and signatures on bare
 * node:http) and against its peers, in one run. Absolute figures belong to the machine; the ratios are what counts.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { canPin } from './child.ts';
import { endLoad } from './load/load.ts';
import { Measuring } from './measure.ts';
import { HELP, type Options, readOptions, type StoreName } from './options.ts';
import { residentMemory } from './processor.ts';
import { record } from './recorded.ts';
import { markdown, publishInDocs, writeResults } from './report/publish.ts';
import type { StoreResult } from './report/targets.ts';
import { openStage } from './stage.ts';
import { measureStorm } from './storm.ts';

const STORM_ROUNDS = 5;
const STORM_SECONDS = 1.2;

const options = readOptions(process.argv.slice(2));
if (!options) {
  process.stderr.write(`${HELP}\n`);
  process.exit(64);
}
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-bench-'));
try {
  const results: StoreResult[] = [];
  for (const store of options.stores) results.push(await measureStore(store, options));
  report(options, results);
} finally {
  endLoad();
  rmSync(folder, { recursive: true, force: true });
}

async function measureStore(store: StoreName, options: Options): Promise<StoreResult> {
  say(`${store}: preparing ${options.tokens} live tokens and ${options.codes} codes for each server…`);
  const stage = await openStage(store, options, folder);
  const measuring = new Measuring(stage, options, say);
  await measuring.all();
  await measuring.answer(options.memoryRequests);
  const { pid } = stage.gatehouse;
  const memory = { requests: measuring.answered, megabytes: pid === undefined ? undefined : residentMemory(pid) };
  const memoryOf = Object.fromEntries(
    stage.targets.flatMap(({ name, pid }) => (pid === undefined ? [] : [[name, residentMemory(pid) ?? Number.NaN]])),
  );
  const withStorm = options.everything && options.works.includes('password');
  if (withStorm) say(`${store}: introspection while fifty logins a second queue…`);
  const rounds = Math.min(STORM_ROUNDS, options.rounds);
  const storm = withStorm ? await measureStorm(stage.place, rounds, STORM_SECONDS) : undefined;
  await stage.close();
  const { starts, idleMemory } = stage;
  return { store, measurements: measuring.measurements, starts, idleMemory, memory, memoryOf, storm };
}

function report(options: Options, results: readonly StoreResult[]): void {
  const machine = { node: process.version, cpu: cpus()[0]?.model, cores: cpus().length, pinned: canPin };
  const text = markdown(setting(options), results);
  process.stdout.write(`\n${text}\n`);
  say(`Written to ${writeResults({ machine, options }, text, results)}`);
  if (options.record) record(results);
  if (options.publish) publishInDocs(text, results);
}

/** What the figures depend on, in words. */
function setting({ tokens, connections, rounds, seconds }: Options): string {
  const pinning = canPin
    ? 'each server on one core, the load on another, PostgreSQL on all'
    : 'nothing pinned to a core';
  return `Node.js ${process.version}, ${cpus().length} × ${cpus()[0]?.model}; ${pinning}. ${tokens.toLocaleString('en')} live tokens, ES256 where nothing else is said, \
opaque access tokens of an hour, refresh tokens of 30 days that rotate. Every commit is synced to the disk before its answer (SQLite: WAL, \
synchronous = FULL; PostgreSQL: fsync and synchronous_commit on), except by oidc-provider in memory, which keeps nothing. Argon2id: \
19 MiB, 2 passes, 1 lane. ${connections} connections, medians of ${rounds} interleaved rounds of ${seconds} s; latencies at half of what \
each server can do, from the planned time of each request.`;
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
