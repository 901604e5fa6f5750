/** What a file of tests needs of the machine: the programs whose finder it imports, itself or through others. */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ensureApache } from '../apache.ts';
import { ensureChromium } from '../chromium.ts';
import { ensureGuidePrograms } from '../guide-programs.ts';
import { ensureNginx } from '../nginx.ts';
import { ensurePgbouncer, ensureRecentPgbouncer } from '../pgbouncer-program.ts';
import { ensurePysaml2 } from '../pysaml2.ts';
import { ensureSlapd } from '../slapd.ts';
import { ensureSystemdAnalyze } from '../systemd.ts';
import { importersOf } from './imports.ts';
import type { NotRun } from './report.ts';

type Program = { readonly kind: 'found' } | { readonly kind: 'missing'; readonly advice: string };

type Finders = Readonly<Record<string, readonly (() => Program)[]>>;

/** By the file that a test imports. As root on Debian they install what is missing, and say so first. */
const FINDERS: Finders = {
  'scripts/apache.ts': [ensureApache],
  'scripts/chromium.ts': [ensureChromium],
  'scripts/guide-programs.ts': [ensureGuidePrograms],
  'scripts/nginx.ts': [ensureNginx],
  'scripts/pgbouncer-program.ts': [ensurePgbouncer, ensureRecentPgbouncer],
  'scripts/pysaml2.ts': [ensurePysaml2],
  'scripts/slapd.ts': [ensureSlapd],
  'scripts/systemd.ts': [ensureSystemdAnalyze],
  'test/faults/small-disk.ts': [asRoot],
  'test/packaging/container.ts': [asRoot],
};

function asRoot(): Program {
  if (process.getuid?.() === 0) return { kind: 'found' };
  return {
    kind: 'missing',
    advice: 'The tests of full disks and of the image mount file systems: run npm test as root.',
  };
}

/** Those of the files that need something of the machine. */
export function needingFiles(files: readonly string[], finders = FINDERS): string[] {
  const needing = new Set(Object.keys(finders).flatMap(finder => importersOf(finder, files)));
  return files.filter(file => needing.has(file));
}

/** Installs what these files need, and tells which of them cannot run here. */
export function installNeeds(files: readonly string[], finders = FINDERS): NotRun[] {
  return Object.entries(finders).flatMap(([finder, ensures]) => {
    const needing = importersOf(finder, files);
    const programs = needing.length === 0 ? [] : ensures.map(ensure => ensure());
    return programs.flatMap(program => (program.kind === 'missing' ? { advice: program.advice, files: needing } : []));
  });
}

const INSTALL = fileURLToPath(new URL('install.ts', import.meta.url));

/** The same, in a process of its own: what these files need may have to be built, and others can run meanwhile. */
export async function installMeanwhile(files: readonly string[]): Promise<NotRun[]> {
  if (files.length === 0) return [];
  const installer = fork(INSTALL, []);
  const { promise, resolve, reject } = Promise.withResolvers<NotRun[]>();
  installer.once('message', notRun => resolve(notRun as NotRun[]));
  installer.once('exit', () => reject(new Error('what the tests need could not be installed; the reason is above')));
  installer.send(files);
  return promise;
}
