import { npmStart } from '../../src/assembly/npm-start.ts';
import { type BrowserServer, startBrowserServer } from '../browser-server.ts';
import { findChromium } from '../chromium.ts';
import { initializeOnce, startPostgres } from '../postgres.ts';
import { makeRsaKeys } from '../rsa-keys.ts';
import { importersOf } from './imports.ts';

/** What many files use together, as variables of their environment. */
export interface SharedParts {
  readonly env: NodeJS.ProcessEnv;
  remove(): Promise<void>;
}

const SETTINGS = {
  fsync: 'off',
  full_page_writes: 'off',
  update_process_title: 'off',
  max_connections: '1000',
  max_wal_size: '128MB',
  min_wal_size: '32MB',
};

/** So few files make for themselves what they need, and start at once. */
const FEW = 5;

/** RSA keys, one Chromium, and one PostgreSQL, on which each test has a database of its own. What is tested on it is not the durability of the disk. */
export async function startSharedParts(files: readonly string[]): Promise<SharedParts> {
  if (files.length <= FEW) return { env: process.env, remove: async () => {} };
  const keys = await makeRsaKeys();
  const browser = await startBrowserFor(files);
  const data = await initializeOnce();
  // Servers and commands that tests start have it as their users do.
  const { NODE_COMPILE_CACHE, NODE_COMPILE_CACHE_PORTABLE } = npmStart().env;
  const postgres = process.env.TEST_DATABASE_URL
    ? undefined
    : await startPostgres({ isInMemory: true, settings: SETTINGS });
  return {
    env: {
      NODE_COMPILE_CACHE,
      NODE_COMPILE_CACHE_PORTABLE,
      ...(postgres && { TEST_DATABASE_URL: postgres.url }),
      ...(browser && { TEST_BROWSER: browser.address }),
      ...data.env,
      TEST_RSA_KEYS: keys.path,
      ...process.env,
    },
    async remove() {
      await browser?.close();
      await postgres?.remove();
      data.remove();
      keys.remove();
    },
  };
}

/** Where there is no Chromium yet, each file that needs it starts its own, when it is installed (needs.ts). */
async function startBrowserFor(files: readonly string[]): Promise<BrowserServer | undefined> {
  if (importersOf('scripts/chromium.ts', files).length === 0 || findChromium() === undefined) return undefined;
  return startBrowserServer();
}
