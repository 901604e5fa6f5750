/**
 * oauth2-proxy for the test of its guide: built once, by an installed Go, from the modules that test/guides/oauth2-proxy/go.sum pins.
 * TEST_OAUTH2_PROXY names one that exists.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export type Oauth2Proxy =
  | { readonly kind: 'found'; readonly path: string }
  | { readonly kind: 'missing'; readonly advice: string };

const MODULE = 'github.com/oauth2-proxy/oauth2-proxy/v7';
const SOURCE = fileURLToPath(new URL('../test/guides/oauth2-proxy', import.meta.url));
const FOLDER = fileURLToPath(new URL(`../.cache/oauth2-proxy/${process.arch}`, import.meta.url));
/** The guide calls it by this name. */
const BUILT = join(FOLDER, 'oauth2-proxy');

export function ensureOauth2Proxy(): Oauth2Proxy {
  const present = [process.env.TEST_OAUTH2_PROXY, BUILT].find(path => path !== undefined && existsSync(path));
  if (present !== undefined) return { kind: 'found', path: present };
  if (build()) return { kind: 'found', path: BUILT };
  return { kind: 'missing', advice: 'The test with oauth2-proxy needs Go 1.26 or later to build it.' };
}

function build(): boolean {
  process.stdout.write('Building oauth2-proxy for the test of its guide (two minutes of one processor) …\n');
  mkdirSync(FOLDER, { recursive: true });
  // Only a complete program has the name that is looked for.
  const unfinished = `${BUILT}.${process.pid}`;
  const options = ['build', '-mod=readonly', '-trimpath', '-o', unfinished, MODULE];
  const { status } = spawnSync('go', options, { cwd: SOURCE, stdio: ['ignore', 'inherit', 'inherit'] });
  if (status === 0) renameSync(unfinished, BUILT);
  return status === 0;
}
