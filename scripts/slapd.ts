import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { canUnpack, unpackPackage } from './unpack-package.ts';

export type Slapd =
  | {
      readonly kind: 'found';
      readonly server: string;
      readonly schemas: string;
      readonly modules: string;
      /** The name that it goes by says what it does: `slapadd` fills a database. */
      readonly add: string;
      /** What both need beside the environment of the test. */
      readonly env: Readonly<Record<string, string>>;
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
  if (!isThere) return undefined;
  const env = folder === '/' ? {} : { LD_LIBRARY_PATH: librariesIn(join(folder, 'usr/lib')) };
  const runs = spawnSync(server, ['-VV'], { env: { ...process.env, ...env } }).status === 0;
  return runs ? { kind: 'found', server, schemas, modules, add, env } : undefined;
}

/** Debian 12 has a library of the server in the package itself. */
function librariesIn(folder: string): string {
  const ofMachine = readdirSync(folder).filter(name => name.endsWith('-linux-gnu'));
  return ofMachine.map(name => join(folder, name)).join(':');
}

function unpack(): Slapd | undefined {
  unpackPackage('slapd', FOLDER, 'the tests of directories');
  return slapdBelow(FOLDER);
}
