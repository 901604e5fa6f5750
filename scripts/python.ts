import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export type Environment =
  | { readonly kind: 'made'; readonly python: string }
  | { readonly kind: 'missing'; readonly advice: string };

/** What the packages of the requirements ask for. */
const USABLE = 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))';
const PACKAGES = ['python3', 'python3-venv'];

/** A virtual environment with exactly these requirements, made once; python3 comes from Debian's packages when run as root. */
export function ensureEnvironment(requirements: string, folder: string): Environment {
  if (!isUsable() && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    process.stdout.write(`Installing Python (apt-get install ${PACKAGES.join(' ')}) …\n`);
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    runs('apt-get', ['update', '-qq'], env);
    runs('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...PACKAGES], env);
  }
  if (!isUsable()) {
    const advice = `These tests need Python 3.11 or later with venv (Debian, Ubuntu: apt-get install ${PACKAGES.join(' ')}).`;
    return { kind: 'missing', advice };
  }
  const version = spawnSync('python3', ['-VV'], { encoding: 'utf8' }).stdout;
  const name = createHash('sha256').update(version).update(readFileSync(requirements)).digest('hex').slice(0, 16);
  const environment = join(folder, name);
  const python = join(environment, 'bin', 'python');
  const complete = join(environment, 'complete');
  if (existsSync(complete)) return { kind: 'made', python };
  process.stdout.write('Making a virtual environment and installing packages from PyPI …\n');
  rmSync(environment, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const install = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-deps', '-r', requirements];
  if (!runs('python3', ['-m', 'venv', environment]) || !runs(python, install)) {
    return { kind: 'missing', advice: 'The packages could not be installed from PyPI; the reason is above.' };
  }
  writeFileSync(complete, '');
  return { kind: 'made', python };
}

function isUsable(): boolean {
  return spawnSync('python3', ['-c', USABLE], { stdio: 'ignore' }).status === 0;
}

function runs(command: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): boolean {
  return spawnSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'], env }).status === 0;
}
