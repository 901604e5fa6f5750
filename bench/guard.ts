/**
 * `npm run bench:guard`: whether a change made Gatehouse slower, in less than two minutes. Compared is the ratio to the floor
 * in the same run with the one in bench/recorded.json, by processor time of the server, in interleaved rounds. What falls
 * below is measured twice more before it counts.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Work } from './fixture.ts';
import { endLoad } from './load/load.ts';
import { Measuring } from './measure.ts';
import { type Options, readOptions, type StoreName } from './options.ts';
import { floorRatios, guarded, readRecorded, record } from './recorded.ts';
import { openStage } from './stage.ts';

const LEAST_OF_RECORDED = 0.85;
const ATTEMPTS = 3;
/** Many short rounds: what disturbs one half of a ratio then disturbs the other too, and the median has more to choose from. */
const ROUNDS = ['--rounds', '17', '--seconds', '0.25', '--connections', '64'];
const USUAL = ['--ratios', '--no-peers', ...ROUNDS, '--tokens', '10000', '--codes', '50000'];

const options = readOptions([...USUAL, ...process.argv.slice(2)]);
if (!options) {
  process.stderr.write('Usage: npm run bench:guard -- [options of the benchmark]\n');
  process.exit(64);
}
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-guard-'));
const recorded = readRecorded();
try {
  const slower: string[] = [];
  for (const store of options.stores) slower.push(...(await check(store, options)));
  process.exitCode = slower.length === 0 ? 0 : 1;
  for (const line of slower) process.stderr.write(`${line}\n`);
} finally {
  endLoad();
  rmSync(folder, { recursive: true, force: true });
}

async function check(store: StoreName, options: Options): Promise<string[]> {
  const works = options.works.filter(work => guarded[store].includes(work));
  if (options.record) {
    record([await measured(store, { ...options, works })]);
    return [];
  }
  if (!works.every(work => recorded[store]?.[work] !== undefined)) {
    process.stdout.write(`${store}: nothing is recorded; npm run bench:guard -- --record does it\n`);
    return [];
  }
  let slow = await measure(store, { ...options, works });
  for (let again = 1; again < ATTEMPTS && slow.size > 0; again++) {
    process.stdout.write(`${store}: once more, since ${[...slow.keys()].join(', ')} came out slow\n`);
    slow = await measure(store, { ...options, works: [...slow.keys()] });
  }
  return [...slow].map(([work, line]) => `${store}: ${work} is slower than recorded, ${ATTEMPTS} times: ${line}`);
}

/** What came out below the limit. */
async function measure(store: StoreName, options: Options): Promise<Map<Work, string>> {
  const below = new Map<Work, string>();
  for (const [work, ratio] of floorRatios(await measured(store, options))) {
    const before = recorded[store]?.[work] ?? 0;
    const limit = before * LEAST_OF_RECORDED;
    const line = `${ratio.toFixed(3)} of the floor, recorded ${before.toFixed(3)}, limit ${limit.toFixed(3)}`;
    process.stdout.write(`${store} ${work}: ${line}\n`);
    if (ratio < limit) below.set(work, line);
  }
  return below;
}

async function measured(store: StoreName, options: Options) {
  const stage = await openStage(store, options, folder);
  const measuring = new Measuring(stage, options, () => {});
  await measuring.all();
  await stage.close();
  return { store, measurements: measuring.measurements };
}
