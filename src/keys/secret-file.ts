import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Config } from '../config.ts';
import type { Random } from '../deps.ts';

/** GATEHOUSE_SECRET, or for the embedded store one that is made beside it on the first start and readable by its owner. */
export function loadSecrets(config: Config, random: Random): readonly string[] {
  if (config.secrets) return config.secrets;
  const folder = dirname(config.database.path);
  const path = join(folder, 'gatehouse.secret');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    // Fails when it is there: of two processes that start together, one makes it and both read the same.
    writeFileSync(path, `${random.bytes(32).toString('base64url')}\n`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return [readFileSync(path, 'utf8').trim()];
}
