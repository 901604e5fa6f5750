import { listen } from './listen.ts';

/** Where a client publishes its keys: a real listener on 127.0.0.1 that counts how often it is asked. */
export interface KeyServer {
  readonly address: string;
  /** How many requests have arrived. */
  count(): number;
  /** What it answers from now on. */
  answer(next: KeyAnswer): void;
  close(): Promise<void>;
}

export interface KeyAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** Waits for this between the head and the body. */
  readonly when?: Promise<unknown>;
}

export function keySetOf(...keys: readonly object[]): KeyAnswer {
  return { headers: { 'content-type': 'application/jwk-set+json' }, body: JSON.stringify({ keys }) };
}

export async function openKeyServer(first: KeyAnswer): Promise<KeyServer> {
  let count = 0;
  let current = first;
  const { origin, close } = await listen(async (_incoming, outgoing) => {
    count++;
    const { status = 200, headers = {}, body = '', when } = current;
    outgoing.writeHead(status, headers);
    outgoing.flushHeaders();
    await when;
    outgoing.end(body);
  });
  return {
    address: `${origin}/keys`,
    count: () => count,
    answer: next => {
      current = next;
    },
    close,
  };
}
