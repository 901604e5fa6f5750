import type { Fields } from '../../directory/fields/sum.fields.ts';
import type { Entry } from './export-entries.ts';
import { placeOf } from './fault.ts';
import { applyFileSchema } from './file-schema.ts';

/**
 * What the reader of an apply file would refuse, by the same rules. A value may be older than a rule: `export` writes it as it is
 * stored, and says so, because a file that lacks it would not be the store.
 */
export type ExportedList = 'user_attributes' | 'providers' | 'applications' | 'users';

export function exportFaults(fields: Fields, list: ExportedList, entry: Entry): string[] {
  const read = applyFileSchema(fields).safeParse({ [list]: [entry] });
  if (read.success) return [];
  const owner = OWNERS[list](entry);
  return read.error.issues.map(({ path, message }) => `${owner}: ${placeOf(path.slice(2))}: ${message}`);
}

const OWNERS = {
  user_attributes: ({ name }) => `user_attribute ${name}`,
  providers: ({ id }) => `provider ${id}`,
  applications: ({ code }) => `application ${code}`,
  users: ({ username }) => `user ${JSON.stringify(username)}`,
} as const satisfies Record<ExportedList, (entry: Entry) => string>;
