import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

export type Apache =
  | { readonly kind: 'found'; readonly path: string; readonly modules: string }
  | { readonly kind: 'missing'; readonly advice: string };

/** Where Debian's packages put it. */
const SERVER = '/usr/sbin/apache2';
const MODULES = '/usr/lib/apache2/modules';
/** Without the package apache2 itself, which would bring a service that starts on port 80. */
const PACKAGES = ['apache2-bin', 'libapache2-mod-auth-openidc'];

/** Apache with mod_auth_openidc for the client tests: as it is installed, or (as root on Debian) from the packages. */
export function ensureApache(): Apache {
  if (!isThere() && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    process.stdout.write(`Installing Apache for the client tests (apt-get install ${PACKAGES.join(' ')}) …\n`);
    aptGet('update', '-qq');
    aptGet('install', '-y', '-qq', '--no-install-recommends', ...PACKAGES);
  }
  if (isThere()) return { kind: 'found', path: SERVER, modules: MODULES };
  const advice = `The Apache tests need mod_auth_openidc (Debian, Ubuntu: apt-get install ${PACKAGES.join(' ')}).`;
  return { kind: 'missing', advice };
}

function isThere(): boolean {
  return existsSync(SERVER) && existsSync(`${MODULES}/mod_auth_openidc.so`);
}

function aptGet(...args: string[]): void {
  spawnSync('apt-get', args, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
}
