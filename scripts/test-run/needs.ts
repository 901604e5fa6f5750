/** Which programs a file of tests needs: those whose finder it imports, itself or through others. */
import { ensureApache } from '../apache.ts';
import { ensureChromium } from '../chromium.ts';
import { ensureGuidePrograms } from '../guide-programs.ts';
import { ensureNginx } from '../nginx.ts';
import { ensurePgbouncer, ensureRecentPgbouncer } from '../pgbouncer-program.ts';
import { ensureSystemdAnalyze } from '../systemd.ts';
import { importersOf } from './imports.ts';
import type { NotRun } from './report.ts';

type Program = { readonly kind: 'found' } | { readonly kind: 'missing'; readonly advice: string };

/** As root on Debian they install what is missing, and say so first. */
const FINDERS: Readonly<Record<string, readonly (() => Program)[]>> = {
  'scripts/apache.ts': [ensureApache],
  'scripts/chromium.ts': [ensureChromium],
  'scripts/guide-programs.ts': [ensureGuidePrograms],
  'scripts/nginx.ts': [ensureNginx],
  'scripts/pgbouncer-program.ts': [ensurePgbouncer, ensureRecentPgbouncer],
  'scripts/systemd.ts': [ensureSystemdAnalyze],
};

/** Installs what these files need, before any of them runs, and sorts out those that cannot run here. */
export function installNeeds(files: readonly string[]): { readonly runnable: string[]; readonly notRun: NotRun[] } {
  const notRun = Object.entries(FINDERS).flatMap(([finder, ensures]) => {
    const needing = importersOf(finder, files);
    const programs = needing.length === 0 ? [] : ensures.map(ensure => ensure());
    return programs.flatMap(program => (program.kind === 'missing' ? { advice: program.advice, files: needing } : []));
  });
  const left = new Set(notRun.flatMap(({ files }) => files));
  return { runnable: files.filter(file => !left.has(file)), notRun };
}
