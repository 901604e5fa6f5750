import type { UserAttribute } from './rules.ts';

/** In a SELECT of SQLite: all definitions as JSON; NULL where there is none. */
export const DEFINITIONS_SQLITE = `(SELECT '[' || group_concat(definition, ',' ORDER BY name) || ']' FROM user_attributes
  WHERE deleted_at IS NULL)`;
/** The same of PostgreSQL. */
export const DEFINITIONS_POSTGRES = `(SELECT '[' || string_agg(definition, ',' ORDER BY name COLLATE "C") || ']' FROM user_attributes
  WHERE deleted_at IS NULL)`;

export function definitionsFrom(text: string): readonly UserAttribute[] {
  return JSON.parse(text);
}
