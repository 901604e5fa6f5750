import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The address of a client or a webhook: a real listener on 127.0.0.1 that remembers what it was sent. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly form: URLSearchParams;
}

export interface Receiver {
  readonly address: string;
  readonly received: Received[];
  /** The next answers, instead of those set before; after the last one, 200. */
  answer(...replies: Reply[]): void;
  /** The port is closed, until `up`. */
  down(): Promise<void>;
  up(): Promise<void>;
}

export interface Reply {
  readonly status: number;
  readonly location?: string;
  readonly retryAfter?: string;
  /** Waits for this before it answers. */
  readonly when?: Promise<unknown>;
}

export async function openReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const replies: Reply[] = [];
  const make = () =>
    createServer(async (incoming, outgoing) => {
      const body = Buffer.concat(await incoming.toArray()).toString();
      const { method = '', url = '', headers } = incoming;
      received.push({ method, path: url, headers, body, form: new URLSearchParams(body) });
      const { status, location, retryAfter, when } = replies.shift() ?? { status: 200 };
      await when;
      if (location !== undefined) outgoing.setHeader('location', location);
      if (retryAfter !== undefined) outgoing.setHeader('retry-after', retryAfter);
      outgoing.writeHead(status).end();
    });
  let server = make();
  await listen(server, 0);
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}/bcl`,
    received,
    answer: (...next) => {
      replies.splice(0, replies.length, ...next);
    },
    down: async () => {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
    up: async () => {
      server = make();
      await listen(server, port);
    },
  };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
}
