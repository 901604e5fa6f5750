/** What files import, so that nobody keeps lists of it. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const IMPORT = /(?:\bfrom|^import)\s*'(\.[^']+)'|\bimport\('(\.[^']+)'\)/gm;
const known = new Map<string, readonly string[]>();

/** All files that this one imports, directly or not. */
export function importsOf(file: string, met = new Set<string>()): ReadonlySet<string> {
  for (const next of directImportsOf(file)) {
    if (met.has(next)) continue;
    met.add(next);
    importsOf(next, met);
  }
  return met;
}

/** It imports the finders of all programs; a test of it needs none of them. */
const NEEDS = 'scripts/test-run/needs.ts';

/** Those of the files that import this one, directly or not. */
export function importersOf(imported: string, files: readonly string[]): string[] {
  return files.filter(file => importsOf(file, new Set([NEEDS])).has(imported));
}

function directImportsOf(file: string): readonly string[] {
  const present = known.get(file);
  if (present) return present;
  // What lies in node_modules, and what is no TypeScript, imports none of ours.
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const found = [...text.matchAll(IMPORT)].map(([, one, other]) => normalize(join(dirname(file), one ?? other ?? '')));
  known.set(file, found);
  return found;
}
