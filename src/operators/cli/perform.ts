import type { Services } from '../../services.ts';
import { COMMAND_LINE } from '../api/caller.ts';
import type { Operation } from '../api/operation.ts';
import type { Outcome } from '../api/outcome.ts';
import { type Forbidden, type Input, perform } from '../api/perform.ts';

/** Runs an operation with the rights of whoever has the settings of the server. */
export function performOnCommandLine(services: Services, operation: Operation, input: Input): Promise<Performed> {
  const context = { services, caller: COMMAND_LINE, origin: {}, ifMatch: undefined };
  return everyPage(input, query => perform(operation, context, { ...input, query }));
}

export type Performed = Outcome<unknown> | Forbidden;
type Page = { readonly items: readonly unknown[]; readonly next: string | null };

const PAGE_SIZE = '200';

/** A list is printed as a whole, unless --limit or --cursor asks for a page. */
export async function everyPage(
  { query }: Pick<Input, 'query'>,
  run: (query: Input['query']) => Promise<Performed>,
): Promise<Performed> {
  if ('limit' in query || 'cursor' in query) return run(query);
  const first = await run(query);
  if (first.kind !== 'done' || !isPage(first.value)) return first;
  const items = [...first.value.items];
  for (let { next } = first.value; next !== null; ) {
    const page = await run({ ...query, limit: PAGE_SIZE, cursor: next });
    if (page.kind !== 'done' || !isPage(page.value)) return page;
    items.push(...page.value.items);
    next = page.value.next;
  }
  return { kind: 'done', value: { items, next: null } };
}

function isPage(value: unknown): value is Page {
  return typeof value === 'object' && value !== null && 'items' in value;
}
