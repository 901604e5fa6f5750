import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A web site of a client, on a port and so on an origin of its own. */
export interface Site {
  readonly origin: string;
  close(): Promise<void>;
}

export async function openSite(listener: RequestListener): Promise<Site> {
  const server = createServer(listener);
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}
