/** Programs that an operator has and that the commands of docs/guides call: as they are installed, or (as root on Debian) from packages. */
import { spawnSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';

export type GuidePrograms =
  | {
      readonly kind: 'found';
      /** psql, pg_dump and pg_restore beside the server of the same release: pg_dump refuses a newer server. */
      readonly postgres: string;
    }
  | { readonly kind: 'missing'; readonly advice: string };

const PACKAGES = ['postgresql'];
const POSTGRES = ['initdb', 'postgres', 'psql', 'pg_dump', 'pg_restore'];

export function ensureGuidePrograms(): GuidePrograms {
  const postgres = find() ?? (canInstall() ? install() : undefined);
  if (postgres !== undefined) return { kind: 'found', postgres };
  return {
    kind: 'missing',
    advice: `The tests of docs/guides need ${PACKAGES.join(' and ')} (Debian, Ubuntu: apt-get install ${PACKAGES.join(' ')}).`,
  };
}

function find(): string | undefined {
  const isComplete = (folder: string) => POSTGRES.every(name => existsSync(join(folder, name)));
  return globSync('/usr/lib/postgresql/*/bin').find(isComplete);
}

function canInstall(): boolean {
  return process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');
}

function install(): string | undefined {
  process.stdout.write(`Installing programs for the tests of guides (apt-get install ${PACKAGES.join(' ')}) …\n`);
  // In runlevel 1 a package does not start the service it brings.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  for (const args of [
    ['update', '-qq'],
    ['install', '-y', '-qq', '--no-install-recommends', ...PACKAGES],
  ]) {
    spawnSync('apt-get', args, { stdio: ['ignore', 'ignore', 'inherit'], env });
  }
  return find();
}
