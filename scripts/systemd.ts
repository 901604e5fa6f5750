import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const PROGRAM = '/usr/bin/systemd-analyze';

/** systemd-analyze for the test of the unit: as it is installed, or (as root on Debian) from the package. Undefined elsewhere. */
export function ensureSystemdAnalyze(): string | undefined {
  if (!existsSync(PROGRAM) && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    process.stdout.write('Installing systemd-analyze for the tests (apt-get install systemd) …\n');
    aptGet('update', '-qq');
    aptGet('install', '-y', '-qq', '--no-install-recommends', 'systemd');
  }
  return existsSync(PROGRAM) ? PROGRAM : undefined;
}

function aptGet(...args: string[]): void {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  spawnSync('apt-get', args, { stdio: ['ignore', 'ignore', 'inherit'], env });
}
