import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

export type Chromium =
  | { readonly kind: 'found'; readonly path: string }
  | { readonly kind: 'missing'; readonly advice: string };

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

/** A browser for the browser tests: $CHROMIUM, one on the PATH, or (as root on Debian) the distribution's package. */
export function ensureChromium(): Chromium {
  const present = process.env.CHROMIUM ?? onPath();
  if (present !== undefined) return { kind: 'found', path: present };
  if (process.getuid?.() === 0 && hasCommand('apt-get')) {
    process.stdout.write('Installing Chromium for the browser tests (apt-get install chromium) …\n');
    const options = {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    };
    spawnSync('apt-get', ['update', '-qq'], options as never);
    spawnSync(
      'apt-get',
      ['install', '-y', '-qq', '--no-install-recommends', 'chromium', 'fonts-noto-cjk'],
      options as never,
    );
    const installed = onPath();
    if (installed !== undefined) return { kind: 'found', path: installed };
  }
  const advice = `The browser tests need Chromium. Install it (Debian, Ubuntu: apt-get install chromium) or name it in CHROMIUM.`;
  return { kind: 'missing', advice };
}

function onPath(): string | undefined {
  return NAMES.map(find).find(path => path !== undefined);
}

function hasCommand(name: string): boolean {
  return find(name) !== undefined;
}

function find(name: string): string | undefined {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .map(folder => join(folder, name))
    .find(path => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}
