import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A real listener on 127.0.0.1, at a port that was free, which answers as the test wants. */
export interface Listening {
  readonly port: number;
  readonly origin: string;
  close(): Promise<void>;
}

export async function listen(answer: RequestListener): Promise<Listening> {
  const server = createServer(answer);
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections();
      await new Promise(closed => server.close(closed));
    },
  };
}
