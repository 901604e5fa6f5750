import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export type Slapd =
  | {
      readonly kind: 'found';
      readonly server: string;
      readonly schemas: string;
      readonly modules: string;
      /** The name that it goes by says what it does: `slapadd` fills a database. */
      readonly add: string;
    }
  | { readonly kind: 'missing'; readonly advice: string };

const FOLDER = fileURLToPath(new URL('../.cache/slapd', import.meta.url));

/**
 * OpenLDAP for the tests of directories: as it is installed, or (as root on Debian) from its package, which is unpacked and not installed: that
 * would start a service on port 389.
 */
export function ensureSlapd(): Slapd {
  const found = slapdBelow('/') ?? slapdBelow(FOLDER) ?? (canUnpack() ? unpack() : undefined);
  return (
    found ?? { kind: 'missing', advice: 'The tests of directories need slapd (Debian, Ubuntu: apt-get install slapd).' }
  );
}

function slapdBelow(folder: string): Slapd | undefined {
  const server = join(folder, 'usr/sbin/slapd');
  const add = join(folder, 'usr/sbin/slapadd');
  const schemas = join(folder, 'etc/ldap/schema');
  const modules = join(folder, 'usr/lib/ldap');
  const isThere = [server, join(schemas, 'inetorgperson.schema'), modules].every(each => existsSync(each));
  return isThere && spawnSync(server, ['-VV']).status === 0
    ? { kind: 'found', server, schemas, modules, add }
    : undefined;
}

function canUnpack(): boolean {
  return process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');
}

function unpack(): Slapd | undefined {
  process.stdout.write('Unpacking slapd for the tests of directories (apt-get download slapd) …\n');
  mkdirSync(FOLDER, { recursive: true });
  run('apt-get', 'update', '-qq');
  run('apt-get', 'install', '-y', '-qq', '--no-install-recommends', ...libraries());
  run('apt-get', 'download', '-qq', 'slapd');
  const file = readdirSync(FOLDER).find(name => /^slapd_.*\.deb$/.test(name));
  if (file !== undefined) run('dpkg-deb', '-x', file, '.');
  return slapdBelow(FOLDER);
}

/** What it is linked with. */
function libraries(): string[] {
  const { stdout } = spawnSync('apt-cache', ['depends', 'slapd'], { encoding: 'utf8' });
  return [...stdout.matchAll(/Depends: (lib\S+)/g)].map(([, name = '']) => name);
}

function run(command: string, ...args: string[]): void {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  spawnSync(command, args, { cwd: FOLDER, stdio: ['ignore', 'ignore', 'inherit'], env });
}
