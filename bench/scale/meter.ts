/** Between two programs, to count the bytes that they exchange: both directions together. */
import { connect, createServer, type Socket } from 'node:net';

export interface Meter {
  readonly port: number;
  bytes(): number;
  close(): Promise<void>;
}

export async function openMeter(to: number): Promise<Meter> {
  let bytes = 0;
  const sockets = new Set<Socket>();
  const pass = (from: Socket, other: Socket) => {
    sockets.add(from);
    from.setNoDelay(true);
    from.on('data', chunk => {
      bytes += chunk.length;
      other.write(chunk);
    });
    from.on('close', () => {
      sockets.delete(from);
      other.destroy();
    });
    from.on('error', () => other.destroy());
  };
  const server = createServer(near => {
    const far = connect(to, '127.0.0.1');
    pass(near, far);
    pass(far, near);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    bytes: () => bytes,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
