import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { canUnpack, unpackPackage } from './unpack-package.ts';

export type Nginx =
  | { readonly kind: 'found'; readonly path: string }
  | { readonly kind: 'missing'; readonly advice: string };

const INSTALLED = '/usr/sbin/nginx';
const FOLDER = fileURLToPath(new URL('../.cache/nginx', import.meta.url));
const UNPACKED = join(FOLDER, 'usr/sbin/nginx');

/**
 * nginx for the tests behind a proxy: as it is installed, or (as root on Debian) from its package, which is unpacked and not installed: that would
 * start a service on port 80.
 */
export function ensureNginx(): Nginx {
  const path = [INSTALLED, UNPACKED].find(runs) ?? (canUnpack() ? unpack() : undefined);
  if (path !== undefined) return { kind: 'found', path };
  return { kind: 'missing', advice: 'The tests behind a proxy need nginx (Debian, Ubuntu: apt-get install nginx).' };
}

function runs(path: string): boolean {
  return existsSync(path) && spawnSync(path, ['-v']).status === 0;
}

function unpack(): string | undefined {
  unpackPackage('nginx', FOLDER, 'the tests behind a proxy');
  return runs(UNPACKED) ? UNPACKED : undefined;
}
