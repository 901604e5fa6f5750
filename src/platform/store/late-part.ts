import type { ColdDatabase } from './steps.ts';

/** Of a part of the store: every operation has a promise for its outcome. */
type Operations<Part> = { readonly [Name in keyof Part]: (...args: never[]) => Promise<unknown> };
type Call = (...args: unknown[]) => Promise<unknown>;

/** A part of the store that a capability declares (`store`), over the database of either store. */
export interface StorePart {
  /** Their names are those of the metrics. */
  readonly operations: readonly string[];
  load(): Promise<(cold: ColdDatabase) => object>;
}

/** The type asks for the name of each operation. */
export function storePart<Part extends Operations<Part>>(
  operations: Readonly<Record<keyof Part, true>>,
  load: () => Promise<(cold: ColdDatabase) => Part>,
): StorePart {
  return { operations: Object.keys(operations), load };
}

/** Its statements are loaded with its first operation: a server that nobody administers has no use for those of operators. */
export function openPart({ operations, load }: StorePart, cold: ColdDatabase): [string, Call][] {
  let part: Readonly<Record<string, Call>> | undefined;
  const loaded = async () => {
    part ??= (await load())(cold) as Readonly<Record<string, Call>>;
    return part;
  };
  return operations.map(name => [
    name,
    (...args) => (part ? (part[name] as Call)(...args) : loaded().then(all => (all[name] as Call)(...args))),
  ]);
}
