import { z } from 'zod';
import type { PageAfter } from '../roles/store.ts';

const MAX_LIMIT = 200;
const DEFAULT_LIMIT = 50;

/** A cursor is the key of the last object of a page, in base64url: it stays valid when objects are added and deleted. */
const cursor = z
  .string()
  .max(1000)
  .regex(/^[A-Za-z0-9_-]*$/, 'must be the "next" of another page')
  .transform(text => Buffer.from(text, 'base64url').toString());

export const pageQuery = {
  limit: z.coerce
    .number('must be a number')
    .int('must be a whole number')
    .min(1, 'must be at least 1')
    .max(MAX_LIMIT, `must be at most ${MAX_LIMIT}`)
    .default(DEFAULT_LIMIT),
  cursor: cursor.optional(),
};

export interface PageQuery {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({ items: z.array(item), next: z.string().nullable() });
}

/** Reads one entry more than the page has: it shows whether there is another page. */
export function pageAfter({ limit, cursor: after }: PageQuery): PageAfter {
  return { after, limit: limit + 1 };
}

export function toPage<T, View>(
  found: readonly T[],
  { limit }: PageQuery,
  keyOf: (item: T) => string,
  view: (item: T) => View,
): { items: View[]; next: string | null } {
  const items = found.slice(0, limit);
  const last = items.at(-1);
  const next = found.length > limit && last !== undefined ? Buffer.from(keyOf(last)).toString('base64url') : null;
  return { items: items.map(view), next };
}
