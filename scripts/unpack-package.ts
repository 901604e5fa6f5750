import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';

/** Root on Debian: what a test needs may be installed. */
export function canUnpack(): boolean {
  return process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');
}

/**
 * A package of Debian in a folder, with the libraries that it depends on: for programs that start a service where they are installed.
 * `reason` says on the terminal what it is for.
 */
export function unpackPackage(name: string, folder: string, reason: string): void {
  process.stdout.write(`Unpacking ${name} for ${reason} (apt-get download ${name}) …\n`);
  mkdirSync(folder, { recursive: true });
  const run = (command: string, ...args: string[]) => {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    spawnSync(command, args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'], env });
  };
  run('apt-get', 'update', '-qq');
  run('apt-get', 'install', '-y', '-qq', '--no-install-recommends', ...librariesOf(name));
  run('apt-get', 'download', '-qq', name);
  const file = readdirSync(folder).find(each => each.startsWith(`${name}_`) && each.endsWith('.deb'));
  if (file !== undefined) run('dpkg-deb', '-x', file, '.');
}

function librariesOf(name: string): string[] {
  const { stdout } = spawnSync('apt-cache', ['depends', name], { encoding: 'utf8' });
  return [...stdout.matchAll(/Depends: ((?:lib|zlib)\S+)/g)].map(([, library = '']) => library);
}
