/** A row of a SELECT, before it becomes a value of the domain. Booleans are 0 and 1 in SQLite, false and true in PostgreSQL. */
export type Row = Record<string, string | number | bigint | boolean | Uint8Array | null>;

export function words(value: Row[string] | undefined): string[] {
  return value === '' ? [] : (value as string).split(' ');
}

export function optional(value: Row[string] | undefined): string | undefined {
  return value === null ? undefined : (value as string);
}

export function optionalNumber(value: Row[string] | undefined): number | undefined {
  return value === null ? undefined : Number(value);
}
