import { type Called, type ConnectionOptions, connect } from './connection.ts';

/** What the operations of one release take and return; generated from its OpenAPI document (scripts/admin-client.ts). */
export type OperationTypes = { readonly [Id: string]: { readonly input: object; readonly result: unknown } };

/** By operation: method, path below /api/v1/admin, names of the parameters of its query. */
export type OperationAddresses<Types> = {
  readonly [Id in keyof Types]: readonly [method: string, path: string, query: readonly string[]];
};

/** What every call takes beside its own input. */
export interface CallOptions {
  /** The ETag of the object as it was read (`etagOf`): the call fails with 412 if it has changed since. */
  readonly ifMatch?: string;
  /** Of a POST. Give it to repeat a call of an earlier process; within a call, repetitions have the same one anyway. */
  readonly idempotencyKey?: string;
}

type NoInput<Input> = Record<never, never> extends Input ? [input?: Input & CallOptions] : [input: Input & CallOptions];

/** A function for each operation, by its operationId: `client.updateUser({ sub, body: { nickname: 'Al' } })`. */
export type Client<Types extends OperationTypes> = {
  readonly [Id in keyof Types]: (...input: NoInput<Types[Id]['input']>) => Promise<Types[Id]['result']>;
};

export function clientOf<Types extends OperationTypes>(
  addresses: OperationAddresses<Types>,
  options: ConnectionOptions,
): Client<Types> {
  const send = connect(options);
  const entries = Object.entries<OperationAddresses<Types>[string]>(addresses).map(([id, [method, path, names]]) => {
    const call = async (input: Readonly<Record<string, unknown>> = {}) => {
      const { body, ifMatch, idempotencyKey } = input as CallOptions & { readonly body?: unknown };
      const called = await send({
        method,
        path: path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(input[name]))),
        query: queryOf(input, names),
        body,
        ifMatch,
        idempotencyKey,
      });
      return withEtag(called);
    };
    return [id, call] as const;
  });
  return Object.fromEntries(entries) as unknown as Client<Types>;
}

function queryOf(input: Readonly<Record<string, unknown>>, names: readonly string[]): Record<string, string> {
  const given = names.filter(name => input[name] !== undefined);
  return Object.fromEntries(given.map(name => [name, String(input[name])]));
}

const etags = new WeakMap<object, string>();

function withEtag({ value, etag }: Called): unknown {
  if (typeof value === 'object' && value !== null && etag !== undefined) etags.set(value, etag);
  return value;
}

/** The ETag of an object that a call has returned, for `ifMatch`. */
export function etagOf(result: object): string | undefined {
  return etags.get(result);
}

interface Page<Item> {
  readonly items: readonly Item[];
  readonly next: string | null;
}

/** Every item of a list, page by page: `for await (const user of everyItem(client.listUsers, { q: 'ali' }))`. */
export async function* everyItem<Item, Query extends object>(
  list: (query: Query & { readonly cursor?: string }) => Promise<Page<Item>>,
  query: Query,
): AsyncGenerator<Item> {
  for (let cursor: string | undefined; ; ) {
    const { items, next }: Page<Item> = await list(cursor === undefined ? query : { ...query, cursor });
    yield* items;
    if (next === null) return;
    cursor = next;
  }
}
