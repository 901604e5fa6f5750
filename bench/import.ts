import { execFile } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import type { StoreName } from './options.ts';
import { databaseTime, timeOfEndedChildren } from './processor.ts';
import { gatehouseEnv } from './servers/gatehouse.ts';
import { openPlace, type Place, ROOT } from './servers/place.ts';

const MIN_USERS_PER_SECOND = 10_000;

/**
 * Runs the command as an operator does, on an empty store: first with `--skip-faulty`, which reads the file once, then without on
 * another store, which checks the whole file before it writes. False: the first, which only imports, is below the bar.
 */
export async function measureImport(store: StoreName, count: number): Promise<boolean> {
  process.stdout.write(
    `\n| ${store}, import of ${count} users | users/s | s | processor, command | database | load |\n`,
  );
  process.stdout.write('|---|---|---|---|---|---|\n');
  const rates: number[] = [];
  for (const options of [['--skip-faulty'], []]) {
    const place = await openPlace(store, { max_wal_size: '4GB' });
    try {
      rates.push(await measureCommand(place, options, count));
    } finally {
      await place.close();
    }
  }
  return (rates[0] ?? 0) >= MIN_USERS_PER_SECOND;
}

async function measureCommand(place: Place, options: readonly string[], count: number): Promise<number> {
  const file = join(place.folder, 'users.csv');
  await pipeline(Readable.from(lines(count)), createWriteStream(file));
  const env = { PATH: process.env.PATH, ...gatehouseEnv(place) };
  const run = (...args: string[]) =>
    promisify(execFile)(process.execPath, ['src/gatehouse.ts', ...args], { cwd: ROOT, env });
  await run('migrate');
  const times = () => [timeOfEndedChildren() ?? 0, place.postgres ? (databaseTime(place.postgres.pid) ?? 0) : 0];
  const [before, startedAt] = [times(), performance.now()];
  const { stdout } = await run('import', 'users', '--json', ...options, file);
  const seconds = (performance.now() - startedAt) / 1000;
  const used = times().map((time, index) => `${(time - (before[index] ?? 0)).toFixed(1)} s`);
  if (JSON.parse(stdout).created !== count) throw new Error(`not all users were imported: ${stdout}`);
  const cells = [Math.round(count / seconds), seconds.toFixed(1), ...used, loadavg()[0]?.toFixed(1)];
  process.stdout.write(`| ${options.join(' ') || 'checked, then written'} | ${cells.join(' | ')} |\n`);
  return count / seconds;
}

/** A user name, an e-mail address, a telephone number and a bcrypt hash, in no order. */
function* lines(count: number): Generator<string> {
  yield 'username,email,email_verified,phone_number,nickname,password_hash\n';
  for (let n = 0; n < count; n++) {
    const name = `${(Math.imul(n + 1, 0x9e3779b1) >>> 8).toString(16).padStart(6, '0')}.${n}`;
    const hash = `$2b$10$${name}`.padEnd(60, 'bcrypt');
    yield `${name},${name}@example.com,true,+86138${n},Nick,${hash}\n`;
  }
}
