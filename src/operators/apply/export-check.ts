import type { Fields } from '../../directory/fields/sum.fields.ts';
import type { Entry } from './export-entries.ts';
import { placeOf } from './fault.ts';
import { applyFileSchema } from './file-schema.ts';

/**
 * What the reader of an apply file would refuse, by the same rules. A value may be older than a rule: `export` writes it as it is
 * stored, and says so, because a file that lacks it would not be the store.
 */
export function exportFaults(fields: Fields, list: 'applications' | 'users', entry: Entry): string[] {
  const read = applyFileSchema(fields).safeParse({ [list]: [entry] });
  if (read.success) return [];
  const owner = list === 'users' ? `user ${JSON.stringify(entry.username)}` : `application ${entry.code}`;
  return read.error.issues.map(({ path, message }) => `${owner}: ${placeOf(path.slice(2))}: ${message}`);
}
