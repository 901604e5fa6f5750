import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

export type SystemdAnalyze =
  | { readonly kind: 'found'; readonly path: string }
  | { readonly kind: 'missing'; readonly advice: string };

const PROGRAM = '/usr/bin/systemd-analyze';

/** systemd-analyze for the test of the unit: as it is installed, or (as root on Debian) from the package. */
export function ensureSystemdAnalyze(): SystemdAnalyze {
  if (!existsSync(PROGRAM) && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    process.stdout.write('Installing systemd-analyze for the tests (apt-get install systemd) …\n');
    aptGet('update', '-qq');
    aptGet('install', '-y', '-qq', '--no-install-recommends', 'systemd');
  }
  if (existsSync(PROGRAM)) return { kind: 'found', path: PROGRAM };
  return {
    kind: 'missing',
    advice: 'The tests of the systemd unit need systemd-analyze (Debian, Ubuntu: apt-get install systemd).',
  };
}

function aptGet(...args: string[]): void {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  spawnSync('apt-get', args, { stdio: ['ignore', 'ignore', 'inherit'], env });
}
