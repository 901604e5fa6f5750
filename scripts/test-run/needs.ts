/** What a file of tests needs of the machine: the programs whose finder it imports, itself or through others. */
import { ensureApache } from '../apache.ts';
import { ensureChromium } from '../chromium.ts';
import { ensureGuidePrograms } from '../guide-programs.ts';
import { ensureNginx } from '../nginx.ts';
import { ensurePgbouncer, ensureRecentPgbouncer } from '../pgbouncer-program.ts';
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

/** Installs what these files need, before any of them runs, and sorts out those that cannot run here. */
export function installNeeds(
  files: readonly string[],
  finders = FINDERS,
): { readonly runnable: string[]; readonly notRun: NotRun[] } {
  const notRun = Object.entries(finders).flatMap(([finder, ensures]) => {
    const needing = importersOf(finder, files);
    const programs = needing.length === 0 ? [] : ensures.map(ensure => ensure());
    return programs.flatMap(program => (program.kind === 'missing' ? { advice: program.advice, files: needing } : []));
  });
  const left = new Set(notRun.flatMap(({ files }) => files));
  return { runnable: files.filter(file => !left.has(file)), notRun };
}
