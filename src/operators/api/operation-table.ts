import type { Verb } from '../cli/noun.ts';
import type { Operation } from './operation.ts';

export type AdminMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

// biome-ignore lint/suspicious/noExplicitAny: each operation has types of its own, which its schemas check
export type AnyOperation = Operation<any, any, any, any>;

/**
 * Operations of one module, by their addresses below {base_url}/api/v1/admin. The name of an operation is the name of its export, and the
 * operationId of the OpenAPI document. The addresses are known when the server starts; the module is loaded with the first request.
 */
export interface DeclaredOperations {
  readonly addresses: Readonly<Record<string, Readonly<Partial<Record<AdminMethod, string>>>>>;
  /** Their bodies are files, which may be larger than others (MAX_FILE_BYTES). */
  readonly takeFiles?: true;
  /** What the command line calls them. */
  readonly commandLine?: { readonly noun: string; readonly verbs: Readonly<Record<string, Verb>> };
  load(): Promise<Readonly<Record<string, unknown>>>;
}

type OperationNames<Module> = {
  [Name in keyof Module]: Module[Name] extends AnyOperation ? Name : never;
}[keyof Module];

/** An address and a verb can only name what the module exports as an operation. */
export function operationsOf<Module extends object>(
  load: () => Promise<Module>,
  addresses: Readonly<Record<string, Readonly<Partial<Record<AdminMethod, OperationNames<Module> & string>>>>>,
): DeclaredOperations & OnCommandLine<OperationNames<Module> & string> {
  const declared = { addresses, load: load as () => Promise<Readonly<Record<string, unknown>>> };
  return { ...declared, onCommandLine: (noun, verbs) => ({ ...declared, commandLine: { noun, verbs } }) };
}

interface OnCommandLine<Id extends string> {
  /** `gatehouse <noun> <verb>`: the verbs that run them. */
  onCommandLine(noun: string, verbs: Readonly<Record<string, Verb<Id>>>): DeclaredOperations;
}

export interface OperationAddress {
  readonly id: string;
  readonly method: AdminMethod;
  readonly path: string;
  readonly takesFile?: true | undefined;
  load(): Promise<AnyOperation>;
}

export interface ListedOperation extends OperationAddress {
  readonly operation: AnyOperation;
}

/** The operations of all capabilities. */
export interface OperationTable {
  /** By path: the order of capabilities means nothing to a reader. */
  readonly addresses: readonly OperationAddress[];
  /** Throws for an id that nothing declares. */
  find(id: string): Promise<AnyOperation>;
  /** Where it is. Throws as `find` does. */
  address(id: string): OperationAddress;
  list(): Promise<readonly ListedOperation[]>;
}

export function createOperationTable(declared: readonly DeclaredOperations[]): OperationTable {
  const addresses = declared
    .flatMap(addressesOf)
    .sort((one, other) => (one.path < other.path ? -1 : Number(one.path > other.path)));
  const byId = new Map<string, OperationAddress>();
  for (const address of addresses) {
    if (byId.has(address.id)) throw new Error(`two capabilities declare the operation ${address.id}`);
    byId.set(address.id, address);
  }
  const addressOf = (id: string) => {
    const address = byId.get(id);
    if (!address) throw new Error(`no capability declares the operation ${id}`);
    return address;
  };
  return {
    addresses,
    list: () => Promise.all(addresses.map(async each => ({ ...each, operation: await each.load() }))),
    find: async id => addressOf(id).load(),
    address: addressOf,
  };
}

function addressesOf({ addresses, load, takeFiles }: DeclaredOperations): OperationAddress[] {
  return Object.entries(addresses).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, id]) => ({
      id,
      method: method as AdminMethod,
      path,
      takesFile: takeFiles,
      load: async () => (await load())[id] as AnyOperation,
    })),
  );
}
