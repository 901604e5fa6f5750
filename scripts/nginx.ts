import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

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

function canUnpack(): boolean {
  return process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');
}

function unpack(): string | undefined {
  process.stdout.write('Unpacking nginx for the tests behind a proxy (apt-get download nginx) …\n');
  mkdirSync(FOLDER, { recursive: true });
  run('apt-get', 'update', '-qq');
  run('apt-get', 'install', '-y', '-qq', '--no-install-recommends', ...libraries());
  run('apt-get', 'download', '-qq', 'nginx');
  const file = readdirSync(FOLDER).find(name => /^nginx_.*\.deb$/.test(name));
  if (file !== undefined) run('dpkg-deb', '-x', file, '.');
  return runs(UNPACKED) ? UNPACKED : undefined;
}

/** What it is linked with. */
function libraries(): string[] {
  const { stdout } = spawnSync('apt-cache', ['depends', 'nginx'], { encoding: 'utf8' });
  return [...stdout.matchAll(/Depends: ((?:lib|zlib)\S+)/g)].map(([, name = '']) => name);
}

function run(command: string, ...args: string[]): void {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  spawnSync(command, args, { cwd: FOLDER, stdio: ['ignore', 'ignore', 'inherit'], env });
}
