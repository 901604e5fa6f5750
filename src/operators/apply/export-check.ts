import type { Fields } from '../../directory/fields/sum.fields.ts';
import type { Entry } from './export-entries.ts';
import { placeOf } from './fault.ts';
import { applyFileSchema } from './file-schema.ts';

/**
 * What the reader of an apply file would refuse, by the same rules. A value may be older than a rule: `export` writes it as it is
 * stored, and says so, because a file that lacks it would not be the store.
 */
export type ExportedList = 'providers' | 'applications' | 'users';

export function exportFaults(fields: Fields, list: ExportedList, entry: Entry): string[] {
  const read = applyFileSchema(fields).safeParse({ [list]: [entry] });
  if (read.success) return [];
  const owner = ownerOf(list, entry);
  return read.error.issues.map(({ path, message }) => `${owner}: ${placeOf(path.slice(2))}: ${message}`);
}

function ownerOf(list: ExportedList, entry: Entry): string {
  if (list === 'users') return `user ${JSON.stringify(entry.username)}`;
  return list === 'providers' ? `provider ${entry.id}` : `application ${entry.code}`;
}
