import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Config } from '../config.ts';
import type { Random } from '../deps.ts';

/** GATEHOUSE_SECRET, or for the embedded store one that is made beside it on the first start and readable by its owner. */
export function loadSecrets(config: Config, random: Random): readonly string[] {
  if (config.secrets) return config.secrets;
  if (config.database.kind !== 'sqlite') throw new Error('GATEHOUSE_SECRET is required with PostgreSQL');
  const folder = dirname(config.database.path);
  const path = join(folder, 'gatehouse.secret');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}`;
  try {
    // Written whole under another name first: the name `path` never stands for half a secret.
    writeFileSync(draft, `${random.bytes(32).toString('base64url')}\n`, { mode: 0o600, flush: true });
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  const secret = readFileSync(path, 'utf8').trim();
  if (Buffer.byteLength(secret) < 32) throw new Error(`${path} must hold a secret of at least 32 bytes`);
  return [secret];
}
