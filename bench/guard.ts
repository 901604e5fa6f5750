/**
 * `npm run bench:guard`: whether the changes since BASE made Gatehouse slower. The measure is processor time of the server for one
 * request, as a multiple of what BASE takes in the same rounds: whatever the machine does, it does to both. A work that comes out
 * above the limit is measured again, with new processes, before it counts.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Work, works } from './fixture.ts';
import { endLoad } from './load/load.ts';
import { type Measurement, measure, median, quantile, ratios, serverTime } from './measure.ts';
import { choices, parse, type StoreName, stores } from './options.ts';
import { ROOT } from './servers/place.ts';
import { OTHER, openTwoCheckouts, THIS } from './two-checkouts.ts';

/** A change that is meant to cost more than the limit allows moves it, and says so. */
const BASE = '221c7eab59b0a64fe78a2035197f7e8498710998';
/** Two processes of the same code differ by up to 1.17 (logout, which is short), most by 1.07; other processes differ otherwise. */
const LIMIT = 1.2;
const ATTEMPTS = 4;
/** Many short rounds: the median has more to choose from, and both sides of a ratio are close in time. */
const ROUNDS = { rounds: 15, seconds: 0.25, connections: 64 };
const CONTENTS = { tokens: 10_000, codes: 50_000, logouts: 30_000 };

const guarded: Readonly<Record<StoreName, readonly Work[]>> = {
  sqlite: ['introspection', 'userinfo', 'code', 'refresh', 'authorization', 'logout', 'password'],
  postgres: ['introspection', 'code', 'refresh'],
};

const { values } = parse({ options: { store: { type: 'string' }, only: { type: 'string' } } });
const only = choices(values.only, works);
if (isShallow()) {
  process.stdout.write('Nothing was measured: this clone has no history (git fetch --unshallow).\n');
  process.exit();
}
const base = checkOut(BASE);
const tooSlow: string[] = [];
try {
  for (const store of choices(values.store, stores)) tooSlow.push(...(await slowerThanBase(store)));
} finally {
  endLoad();
  rmSync(base, { recursive: true, force: true });
}
for (const line of tooSlow) process.stderr.write(`${line}\n`);
process.exitCode = tooSlow.length === 0 ? 0 : 1;

function isShallow(): boolean {
  return (
    execFileSync('git', ['rev-parse', '--is-shallow-repository'], { cwd: ROOT, encoding: 'utf8' }).trim() === 'true'
  );
}

/** With the packages of this checkout: what an update of a package costs is not seen. */
function checkOut(commit: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-base-'));
  const files = join(folder, 'files.tar');
  execFileSync('git', ['archive', '--output', files, commit], { cwd: ROOT });
  execFileSync('tar', ['-xf', files, '-C', folder]);
  rmSync(files);
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

async function slowerThanBase(store: StoreName): Promise<string[]> {
  let slow = guarded[store].filter(work => only.includes(work));
  for (let attempt = 1; attempt <= ATTEMPTS && slow.length > 0; attempt++) {
    const figures = await figuresOf(store, slow);
    slow = slow.filter(work => (figures.get(work) ?? 0) > LIMIT);
    if (slow.length > 0) {
      process.stdout.write(`${store}: above the limit (attempt ${attempt} of ${ATTEMPTS}): ${slow.join(', ')}\n`);
    }
  }
  return slow.map(work => `${store}: ${work} takes more processor time than before, ${ATTEMPTS} times`);
}

async function figuresOf(store: StoreName, works: readonly Work[]): Promise<ReadonlyMap<Work, number>> {
  const two = await openTwoCheckouts(store, base, CONTENTS);
  try {
    const measurements = await measure(two.targets, { ...ROUNDS, works });
    const figures = new Map(works.map(work => [work, figureOf(measurements, work)]));
    for (const [work, figure] of figures) {
      process.stdout.write(`${store} ${work}: ${figure.toFixed(3)} × ${BASE.slice(0, 8)} (limit ${LIMIT})\n`);
    }
    return figures;
  } finally {
    await two.close();
  }
}

/**
 * The smaller of the median of the ratios of the rounds and the ratio of the lower quartiles: slower code raises both, a disturbance
 * hardly ever does.
 */
function figureOf(measurements: readonly Measurement[], work: Work): number {
  const cheap = (server: string) => {
    const own = measurements.filter(entry => entry.server === server && entry.work === work);
    return quantile(own.map(serverTime), 0.25);
  };
  const found = ratios(measurements, { server: THIS, work }, { server: OTHER, work });
  return Math.min(median(found), cheap(THIS) / cheap(OTHER));
}
