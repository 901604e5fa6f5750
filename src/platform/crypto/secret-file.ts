import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Config } from '../config/config.ts';
import type { Random } from '../deps.ts';

/** The server's secret is missing, or is not the one that sealed the data. The message is for the operator. */
export class SecretFault extends Error {
  override readonly name = 'SecretFault';
}

const MIN_SECRET_BYTES = 32;

/** The file with the embedded store's secret, used when GATEHOUSE_SECRET is not set. */
export function secretFileOf(databasePath: string): string {
  return join(dirname(databasePath), 'gatehouse.secret');
}

/**
 * Returns GATEHOUSE_SECRET, or the secret in the file beside the embedded store. The file is generated for an empty store only: a
 * new secret could not open the keys of a store that has data.
 */
export function loadSecrets(config: Config, random: Random, storeIsEmpty: boolean): readonly string[] {
  if (config.secrets) return config.secrets;
  if (config.database.kind !== 'sqlite') throw new SecretFault('GATEHOUSE_SECRET is required with PostgreSQL');
  const path = secretFileOf(config.database.path);
  if (!existsSync(path)) {
    if (!storeIsEmpty) {
      throw new SecretFault(
        `${path} is missing: it holds the secret that ${config.database.path} was made with. Put it back, or set GATEHOUSE_SECRET to that secret`,
      );
    }
    makeSecretFile(path, random);
  }
  const secret = readFileSync(path, 'utf8').trim();
  if (Buffer.byteLength(secret) < MIN_SECRET_BYTES) {
    throw new SecretFault(`${path} must hold a secret of at least ${MIN_SECRET_BYTES} bytes`);
  }
  return [secret];
}

/** Two processes may do this at the same time. `link` fails for the second one, which then reads the file of the first. */
function makeSecretFile(path: string, random: Random): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // A random name and not the process id: in two containers on one volume both processes may have the id 1.
  const draft = `${path}.${random.bytes(6).toString('hex')}`;
  try {
    // Written completely under another name first, so that `path` never holds half a secret.
    writeFileSync(draft, `${random.bytes(MIN_SECRET_BYTES).toString('base64url')}\n`, {
      mode: 0o600,
      flush: true,
      flag: 'wx',
    });
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}
