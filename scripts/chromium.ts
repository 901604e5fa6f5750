import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

export type Chromium =
  | { readonly kind: 'found'; readonly path: string }
  | { readonly kind: 'missing'; readonly advice: string };

/** The headless shell is Chromium without the windows that nobody sees: half the processor time of the others. */
const NAMES = ['chromium-headless-shell', ...['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome']];
const PACKAGES = ['chromium-headless-shell', 'chromium'];

/** A browser for the browser tests: $CHROMIUM, one on the PATH, or (as root on Debian) the distribution's package. */
export function ensureChromium(): Chromium {
  const present = findChromium();
  if (present !== undefined) return { kind: 'found', path: present };
  if (process.getuid?.() === 0 && hasCommand('apt-get')) {
    const installed = install();
    if (installed !== undefined) return { kind: 'found', path: installed };
  }
  const advice = `The browser tests need Chromium. Install it (Debian: apt-get install chromium-headless-shell, or chromium) or name it in CHROMIUM.`;
  return { kind: 'missing', advice };
}

/** One that is there already. */
export function findChromium(): string | undefined {
  return process.env.CHROMIUM ?? onPath();
}

/** A release without the package of the headless shell has the other. */
function install(): string | undefined {
  const aptGet = (...args: string[]) =>
    spawnSync('apt-get', args, {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
  process.stdout.write(`Installing Chromium for the browser tests (apt-get install ${PACKAGES[0]}) …\n`);
  aptGet('update', '-qq');
  for (const name of PACKAGES) {
    aptGet('install', '-y', '-qq', '--no-install-recommends', name, 'fonts-noto-cjk');
    const installed = onPath();
    if (installed !== undefined) return installed;
  }
  return undefined;
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
