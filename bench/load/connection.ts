import { connect, type Socket } from 'node:net';

const CHUNK = 64 * 1024;
const LENGTH = /\r\ncontent-length: *(\d+)/i;
const CHUNKED = /\r\ntransfer-encoding: *chunked/i;
const LAST_CHUNK = '\r\n0\r\n\r\n';

/**
 * HTTP/1.1 over a bare socket, one request at a time, with as little work as there can be: the generator must not be what
 * is measured. Of the answer it reads the status and where it ends.
 */
export class Connection {
  readonly number: number;
  /** From when the latency of the request under way counts. */
  since = 0;
  readonly #socket: Socket;
  #received = '';

  private constructor(number: number, socket: Socket) {
    this.number = number;
    this.#socket = socket;
  }

  static open(number: number, url: string, onAnswer: OnAnswer, onLost: (error: Error) => void): Promise<Connection> {
    const { hostname, port } = new URL(url);
    return new Promise((resolve, reject) => {
      const callback = (length: number, buffer: Uint8Array) => {
        connection.#take((buffer as Buffer).toString('latin1', 0, length), onAnswer);
        return true;
      };
      const onread = { buffer: Buffer.allocUnsafeSlow(CHUNK), callback };
      const socket = connect({ host: hostname, port: Number(port) || 80, noDelay: true, onread });
      const connection = new Connection(number, socket);
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.off('error', reject);
        socket.once('error', onLost);
        socket.once('end', () => onLost(new Error('the server closed a connection')));
        resolve(connection);
      });
    });
  }

  send(request: string): void {
    this.#socket.write(request, 'latin1');
  }

  close(): void {
    this.#socket
      .removeAllListeners('end')
      .removeAllListeners('error')
      .on('error', () => {})
      .destroy();
  }

  #take(part: string, onAnswer: OnAnswer): void {
    const text = this.#received === '' ? part : this.#received + part;
    if (!isComplete(text)) {
      this.#received = text;
      return;
    }
    this.#received = '';
    onAnswer(this, Number(text.slice(9, 12)), text);
  }
}

export type OnAnswer = (connection: Connection, status: number, text: string) => void;

function isComplete(text: string): boolean {
  const head = text.indexOf('\r\n\r\n');
  if (head === -1) return false;
  const length = LENGTH.exec(text);
  if (length && length.index < head) return text.length >= head + 4 + Number(length[1]);
  return CHUNKED.test(text) ? text.endsWith(LAST_CHUNK) : true;
}
