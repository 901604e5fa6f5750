/** Which programs a file of tests needs: those whose finder it imports, itself or through others. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { ensureApache } from '../apache.ts';
import { ensureChromium } from '../chromium.ts';
import { ensureGuidePrograms } from '../guide-programs.ts';
import { ensureNginx } from '../nginx.ts';
import { ensurePgbouncer, ensureRecentPgbouncer } from '../pgbouncer-program.ts';
import { ensureSystemdAnalyze } from '../systemd.ts';
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
  const needs = new Map(files.map(file => [file, importsOf(file)]));
  const isNeeded = (finder: string) => files.some(file => needs.get(file)?.has(finder));
  const missing = Object.entries(FINDERS)
    .filter(([finder]) => isNeeded(finder))
    .flatMap(([finder, ensures]) =>
      ensures.flatMap(ensure => {
        const program = ensure();
        return program.kind === 'missing' ? [{ finder, advice: program.advice }] : [];
      }),
    );
  const notRun = missing.map(({ finder, advice }) => ({
    advice,
    files: files.filter(file => needs.get(file)?.has(finder)),
  }));
  const left = new Set(notRun.flatMap(({ files }) => files));
  return { runnable: files.filter(file => !left.has(file)), notRun };
}

const IMPORT = /(?:\bfrom|^import)\s*'(\.[^']+)'|\bimport\('(\.[^']+)'\)/gm;
const known = new Map<string, readonly string[]>();

/** All files that this one imports, directly or not. */
function importsOf(file: string, met = new Set<string>()): ReadonlySet<string> {
  for (const next of directImportsOf(file)) {
    if (met.has(next)) continue;
    met.add(next);
    importsOf(next, met);
  }
  return met;
}

function directImportsOf(file: string): readonly string[] {
  const present = known.get(file);
  if (present) return present;
  // What node_modules holds, and what is not TypeScript, finds no program.
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const found = [...text.matchAll(IMPORT)].map(([, one, other]) => normalize(join(dirname(file), one ?? other ?? '')));
  known.set(file, found);
  return found;
}
