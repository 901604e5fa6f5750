import type { Given } from './file-schema.ts';

/** What a thing is after its entry: left out stays as it is, null gives a field its default (running.md, The apply file). */
export function complete<T extends object>(defaults: T, present: Partial<T> | undefined, given: Given<T>): T {
  const names = Object.keys({ ...defaults, ...present, ...given }) as (keyof T)[];
  const fieldOf = (name: keyof T) =>
    given[name] === undefined ? (present?.[name] ?? defaults[name]) : (given[name] ?? defaults[name]);
  return Object.fromEntries(names.map(name => [name, fieldOf(name)])) as T;
}

export interface CompletedList<T> {
  readonly all: readonly T[];
  readonly removed: readonly T[];
}

/**
 * A list of things with an identity of their own. Those that are there keep their order and come first: an order has no meaning here.
 * One that is not named stays, unless it is pruned, or the list is empty or null.
 */
export function completeList<T, G>(
  present: readonly T[],
  given: readonly G[] | null | undefined,
  keyOf: (one: T | G) => string,
  completed: (given: G, present: T | undefined, index: number) => T,
  prune: boolean,
): CompletedList<T> {
  const isCleared = given === null || given?.length === 0;
  const entries = given ?? [];
  const at = new Map(entries.map((one, index) => [keyOf(one), index]));
  const isKept = (one: T) => at.has(keyOf(one)) || !(prune || isCleared);
  const kept = present.filter(isKept);
  const keptKeys = new Set(kept.map(keyOf));
  const changed = kept.map(one => {
    const index = at.get(keyOf(one));
    const entry = index === undefined ? undefined : entries[index];
    return entry === undefined || index === undefined ? one : completed(entry, one, index);
  });
  const added = entries.flatMap((one, index) => (keptKeys.has(keyOf(one)) ? [] : [completed(one, undefined, index)]));
  return { all: [...changed, ...added], removed: present.filter(one => !isKept(one)) };
}
