import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Config } from '../config.ts';
import type { Random } from '../deps.ts';

/** The server's secret is missing, or not the one that the data was made with: a fault of the settings, for the operator. */
export class SecretFault extends Error {
  override readonly name = 'SecretFault';
}

const SECRET_BYTES = 32;

/** Where the embedded store's secret is, when the settings have none. */
export function secretFileOf(databasePath: string): string {
  return join(dirname(databasePath), 'gatehouse.secret');
}

/**
 * GATEHOUSE_SECRET, or for the embedded store one that is made beside it on the first start and readable by its owner. Never
 * for a store that has data: a new secret would open none of its keys.
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
  if (Buffer.byteLength(secret) < SECRET_BYTES) {
    throw new SecretFault(`${path} must hold a secret of at least ${SECRET_BYTES} bytes`);
  }
  return [secret];
}

/** Another process may do the same at this moment: whoever comes second takes what the first has made. */
function makeSecretFile(path: string, random: Random): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // Not named after the process: in two containers on one volume, both may be number 1.
  const draft = `${path}.${random.bytes(6).toString('hex')}`;
  try {
    // Written whole under another name first: the name `path` never stands for half a secret.
    writeFileSync(draft, `${random.bytes(SECRET_BYTES).toString('base64url')}\n`, {
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
