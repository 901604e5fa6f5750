/** Runs files of tests, each in a process of its own, and collects which of their tests failed: for `npm test` and `npm run test:citus`. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Pass {
  readonly name: string;
  readonly files: readonly string[];
  readonly atOnce: number;
  readonly env: NodeJS.ProcessEnv;
  /** Of one file, and of one test. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 300_000;

/**
 * Files at once. On the two cores of a small machine a third one runs while others wait: for a limit, a time-out, a database that is away.
 * The tests of faults load the machine themselves, and compare what they measure.
 */
export const AT_ONCE = 3;
export const FAULTS_AT_ONCE = 2;

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
    'one-account-several-names',
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
    'spread-application',
    'key-rotation',
    'login-session',
    'admin-webhooks',
    'fuzz',
  ],
  ...['par', 'device', 'token-exchange', 'dynamic-registration', 'client-id-metadata'],
].map(name => `test/http/${name}.test.ts`);

const SUMMARY = fileURLToPath(new URL('test-summary.ts', import.meta.url));
const COMPILE_CACHE = new URL('../src/compile-cache.ts', import.meta.url).href;
const FILE_END = new URL('test-file-end.ts', import.meta.url).href;

/** Prints which tests failed, of all passes; answers whether none did. */
export function runPasses(passes: readonly Pass[], env: NodeJS.ProcessEnv): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-tests-'));
  const summaries = passes.filter(pass => pass.files.length > 0).flatMap(pass => runPass(pass, env, folder) ?? []);
  rmSync(folder, { recursive: true });
  process.stdout.write(summaries.join(''));
  return summaries.length === 0;
}

/** The lines that the summary has to say; undefined: all is well. */
function runPass(pass: Pass, env: NodeJS.ProcessEnv, folder: string): string | undefined {
  const { name, files, atOnce, env: more, timeoutMs = TIMEOUT_MS } = pass;
  const file = join(folder, name);
  const reporters = ['spec', SUMMARY].map(reporter => `--test-reporter=${reporter}`);
  const destinations = ['stdout', file].map(destination => `--test-reporter-destination=${destination}`);
  const { status } = spawnSync(
    process.execPath,
    // Each file is a process. With the cache it does not strip the types of the same sources again.
    [
      '--import',
      COMPILE_CACHE,
      '--import',
      FILE_END,
      '--test',
      `--test-concurrency=${atOnce}`,
      `--test-timeout=${timeoutMs}`,
      ...reporters,
      ...destinations,
      ...files,
    ],
    { stdio: 'inherit', env: { ...env, ...more } },
  );
  const lines = existsSync(file) ? readFileSync(file, 'utf8') : '';
  if (status === 0 && lines === '') return undefined;
  return `${name}:\n${lines || `ended with ${status}, and no test says why\n`}`;
}
