import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** One connection, on which a test sends what and when it likes. */
export class RawCaller {
  readonly #socket: Socket;
  #received = '';

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding('latin1').on('data', chunk => {
      this.#received += chunk;
    });
    socket.on('error', () => {});
  }

  /** From 127.0.0.1, or another address of this machine. */
  static async open(base: string, localAddress = '127.0.0.1'): Promise<RawCaller> {
    const { hostname, port } = new URL(base);
    const caller = new RawCaller(connect({ host: hostname, port: Number(port), localAddress }));
    await once(caller.#socket, 'connect');
    return caller;
  }

  send(text: string): void {
    this.#socket.write(text);
  }

  request(method: string, path: string, body = '', headers: Readonly<Record<string, string>> = {}): void {
    this.send(`${head(method, path, body.length, headers)}${body}`);
  }

  received(): string {
    return this.#received;
  }

  /** Of all answers so far. */
  statuses(): string[] {
    return [...this.#received.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status = '']) => status);
  }

  isClosed(): boolean {
    return this.#socket.closed;
  }

  close(): void {
    this.#socket.destroy();
  }
}

export function head(
  method: string,
  path: string,
  length: number,
  headers: Readonly<Record<string, string>> = {},
): string {
  const fields = {
    host: 'a',
    'content-type': 'application/x-www-form-urlencoded',
    'content-length': length,
    ...headers,
  };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
}
