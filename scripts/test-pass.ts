/** A run of test files, each in a process of its own, with a summary of what failed. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SUMMARY = fileURLToPath(new URL('test-summary.ts', import.meta.url));
const COMPILE_CACHE = new URL('../src/compile-cache.ts', import.meta.url).href;

export interface Pass {
  readonly name: string;
  readonly files: readonly string[];
  /** Files at once. */
  readonly atOnce: number;
  readonly env: NodeJS.ProcessEnv;
}

/** The lines that the summary has to say; undefined: all is well. */
export function runPass({ name, files, atOnce, env }: Pass): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-tests-'));
  const file = join(folder, 'summary');
  const reporters = ['spec', SUMMARY].map(reporter => `--test-reporter=${reporter}`);
  const destinations = ['stdout', file].map(destination => `--test-reporter-destination=${destination}`);
  const { status } = spawnSync(
    process.execPath,
    // Each file is a process. With the cache it does not strip the types of the same sources again.
    [
      '--import',
      COMPILE_CACHE,
      '--test',
      `--test-concurrency=${atOnce}`,
      '--test-timeout=180000',
      ...reporters,
      ...destinations,
      ...files,
    ],
    { stdio: 'inherit', env },
  );
  const lines = existsSync(file) ? readFileSync(file, 'utf8') : '';
  rmSync(folder, { recursive: true });
  if (status === 0 && lines === '') return undefined;
  return `${name}:\n${lines || `ended with ${status}, and no test says why\n`}`;
}

/** What speaks to the store in every way there is. The whole of test/http passes with TEST_STORE=postgres, but takes minutes. */
export const ON_POSTGRES = [
  ...[
    'code-grant',
    'code-replay',
    'refresh-grant',
    'refresh-family',
    'refresh-model',
    'refresh-across-servers',
    'password-grant',
    'password-change',
    'imported-password',
    'introspect',
    'userinfo',
  ],
  ...[
    'revoke',
    'session',
    'consent',
    'logout',
    'backchannel-logout',
    'backchannel-delivery',
    'isolation',
    'key-rotation',
    'login-session',
    'admin-webhooks',
    'fuzz',
  ],
].map(name => `test/http/${name}.test.ts`);
