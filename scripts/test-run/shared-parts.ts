import { startPostgres } from '../postgres.ts';
import { makeRsaKeys } from '../rsa-keys.ts';

/** What many files use together, as variables of their environment. */
export interface SharedParts {
  readonly env: NodeJS.ProcessEnv;
  remove(): Promise<void>;
}

const SETTINGS = { fsync: 'off', max_connections: '500', max_wal_size: '128MB', min_wal_size: '32MB' };

/** So few files make for themselves what they need, and start at once. */
const FEW = 5;

/** RSA keys, and one PostgreSQL, on which each test has a database of its own. What is tested on it is not the durability of the disk. */
export async function startSharedParts(files: number): Promise<SharedParts> {
  if (files <= FEW) return { env: process.env, remove: async () => {} };
  const keys = await makeRsaKeys();
  const postgres = process.env.TEST_DATABASE_URL
    ? undefined
    : await startPostgres({ isInMemory: true, settings: SETTINGS });
  // So that the handlers of the exit run, which stop the server and remove its data.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  return {
    env: { ...(postgres && { TEST_DATABASE_URL: postgres.url }), TEST_RSA_KEYS: keys.path, ...process.env },
    async remove() {
      await postgres?.remove();
      keys.remove();
    },
  };
}
