/** A part of the store's contract: every operation has a promise for its outcome. */
type Operations<Part> = { readonly [Name in keyof Part]: (...args: never[]) => Promise<unknown> };
type Call = (...args: unknown[]) => Promise<unknown>;

/**
 * A part of the store whose statements are loaded with its first operation: a server that nobody administers has no use for them. The type
 * asks for the name of each operation.
 */
export function latePart<Part extends Operations<Part>>(
  operations: Readonly<Record<keyof Part, true>>,
  load: () => Promise<Part>,
): Part {
  let part: Readonly<Record<string, Call>> | undefined;
  const loaded = async () => {
    part ??= (await load()) as unknown as Readonly<Record<string, Call>>;
    return part;
  };
  const late =
    (name: string): Call =>
    (...args) =>
      part ? (part[name] as Call)(...args) : loaded().then(all => (all[name] as Call)(...args));
  return Object.fromEntries(Object.keys(operations).map(name => [name, late(name)])) as unknown as Part;
}
