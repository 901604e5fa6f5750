/**
 * `npm run bench:guard`: whether a change made Gatehouse slower. The measure is processor time of the
 * server for one request, as a multiple of what the floor takes in the same round: a busy neighbour slows both. A work that
 * comes out above the limit is measured twice more before it counts. `--record` writes bench/recorded.json anew.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import type { Work } from './fixture.ts';
import { endLoad } from './load/load.ts';
import { type Measurement, measure, median, quantile, ratios, type Side, serverTime } from './measure.ts';
import { choices, parse, type StoreName, stores } from './options.ts';
import { FLOOR } from './servers/floor.ts';
import { GATEHOUSE } from './servers/place.ts';
import { openStage } from './stage.ts';

/** Of the recorded ratio: what a machine with a load of eight for each core did not reach three times with the same code. */
const LIMIT = 1.2;
const ATTEMPTS = 3;
/** Many short rounds: the median has more to choose from, and both sides of a ratio are close in time. */
const ROUNDS = { rounds: 15, seconds: 0.25, connections: 64 };
const CONTENTS = { tokens: 10_000, codes: 50_000, logouts: 30_000 };

/** With the work of the floor that it is compared with: the floor has no sessions, so these are a lookup and a write there. */
const guarded: Readonly<Record<StoreName, Readonly<Partial<Record<Work, Work>>>>> = {
  sqlite: {
    introspection: 'introspection',
    userinfo: 'userinfo',
    code: 'code',
    refresh: 'refresh',
    authorization: 'refresh',
    logout: 'refresh',
    password: 'password',
  },
  postgres: { introspection: 'introspection', code: 'code', refresh: 'refresh' },
};

type Ratios = Partial<Record<Work, number>>;

const FILE = new URL('recorded.json', import.meta.url);
const recorded: Partial<Record<StoreName, Ratios>> = JSON.parse(readFileSync(FILE, 'utf8'));

const { values } = parse({
  options: { store: { type: 'string' }, record: { type: 'boolean', default: false } },
});
const tooSlow: string[] = [];
try {
  for (const store of choices(values.store, stores)) {
    if (values.record) recorded[store] = await measured(store);
    else tooSlow.push(...(await check(store)));
  }
} finally {
  endLoad();
}
if (values.record) writeFileSync(FILE, `${JSON.stringify(recorded, null, 2)}\n`);
for (const line of tooSlow) process.stderr.write(`${line}\n`);
process.exitCode = tooSlow.length === 0 ? 0 : 1;

async function check(store: StoreName): Promise<string[]> {
  let slow: Work[] | undefined;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const found = await measured(store, slow);
    slow = worksOf(found).filter(work => (found[work] ?? 0) > limitOf(store, work));
    if (slow.length === 0) break;
    process.stdout.write(`${store}: above the limit (attempt ${attempt} of ${ATTEMPTS}): ${slow.join(', ')}\n`);
  }
  return (slow ?? []).map(work => `${store}: ${work} takes more processor time than recorded, ${ATTEMPTS} times`);
}

function limitOf(store: StoreName, work: Work): number {
  return (recorded[store]?.[work] ?? Number.POSITIVE_INFINITY) * LIMIT;
}

async function measured(store: StoreName, works = worksOf(guarded[store])): Promise<Ratios> {
  const stage = await openStage(store, { ...CONTENTS, peers: false, byUrl: [], starts: 1 });
  const [gatehouse, floor] = stage.targets;
  if (!gatehouse || !floor) throw new Error('Gatehouse and the floor were not started');
  const floorWorks = works.map(work => guarded[store][work] ?? work);
  const measurements = await measure([gatehouse, floor], { ...ROUNDS, works: [...new Set([...works, ...floorWorks])] });
  await stage.close();
  const found: Ratios = {};
  for (const work of works) {
    const floorSide = { server: FLOOR, work: guarded[store][work] ?? work };
    const ratio = ratioOf(measurements, { server: GATEHOUSE, work }, floorSide);
    found[work] = Math.round(ratio * 1000) / 1000;
    const before = recorded[store]?.[work];
    const limit =
      before === undefined ? 'nothing recorded' : `recorded ${before}, limit ${limitOf(store, work).toFixed(3)}`;
    process.stdout.write(`${store} ${work}: ${ratio.toFixed(3)} × the floor (${limit})\n`);
  }
  return found;
}

/**
 * The smaller of the median of the ratios of the rounds and the ratio of the lower quartiles: slower code raises both, a disturbance
 * hardly ever does.
 */
function ratioOf(measurements: readonly Measurement[], one: Side, other: Side): number {
  const cheap = ({ server, work }: Side) => {
    const own = measurements.filter(entry => entry.server === server && entry.work === work);
    return quantile(own.map(serverTime), 0.25);
  };
  return Math.min(median(ratios(measurements, one, other)), cheap(one) / cheap(other));
}

function worksOf(ratios: Readonly<Partial<Record<Work, unknown>>>): Work[] {
  return Object.keys(ratios) as Work[];
}
