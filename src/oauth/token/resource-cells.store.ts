import type { GrantedApi } from './granted-api.rules.ts';
import { grantedScope, type Scope } from './scope.rules.ts';
import type { TokenFamily } from './store.ts';

/** The column `resources` of codes, grants and approved devices: a line for each API, with its identifier and what is granted there. */
export function fromResources({ resources }: Pick<TokenFamily, 'resources'>): string | null {
  // NULL for a grant that covers no API, which is nearly always.
  return resources?.map(lineOf).join('') ?? null;
}

function lineOf({ identifier, scope }: GrantedApi): string {
  return `${[identifier, ...scope].join(' ')}\n`;
}

export function toResources(row: {
  readonly resources?: unknown;
  readonly scope?: unknown;
}): Pick<TokenFamily, 'resources'> {
  if (row.resources == null) return {};
  const text = row.resources as string;
  if (!text.endsWith('\n')) return { resources: byName(text, grantedScope(row.scope as string)) };
  return { resources: text.slice(0, -1).split('\n').map(readLine) };
}

function readLine(line: string): GrantedApi {
  const [identifier = '', ...scope] = line.split(' ');
  return { identifier, scope };
}

/** Of a device that waits, or from before scopes were stored for each API: identifiers, and all scopes count for all of them. */
function byName(text: string, scope: readonly Scope[]): readonly GrantedApi[] {
  return text.split(' ').map(identifier => ({ identifier, scope }));
}
