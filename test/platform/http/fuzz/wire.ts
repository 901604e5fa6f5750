import { connect } from 'node:net';

/** Requests as bytes on a socket: what fetch would refuse to send, and many at once on one connection. */
export interface Wire {
  readonly index: number;
  readonly route: string;
  readonly method: string;
  readonly bytes: Buffer;
  /** Breaks HTTP itself: gets a connection of its own, and may be refused by closing it. */
  readonly hostile: boolean;
}

export interface Received {
  readonly status: number;
  /** Names in lower case; values as Latin-1, so that every byte can be looked at. */
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
}

export interface Exchange {
  readonly sent: Wire;
  readonly received: readonly Received[];
  readonly end: 'answered' | 'closed' | 'silent';
}

const ANSWER_TIMEOUT_MS = 60_000;
/** The server waits for the rest of an incomplete request; after this time the test closes the connection. */
const HANG_UP_MS = 80;

/** All of them on one connection, in order. Where that breaks off, the unanswered again, each on its own connection. */
export async function exchangeBatch(port: number, batch: readonly Wire[]): Promise<Exchange[]> {
  const { received } = await converse(port, batch);
  // node:http refuses what it cannot read at once: answers to what came before it may be lost.
  const foreign = received.length === batch.length ? -1 : received.findIndex(answer => !isOurs(answer));
  const sure = foreign < 0 ? received.length : foreign;
  const exchanges = batch
    .slice(0, sure)
    .map((sent, at): Exchange => ({ sent, received: received.slice(at, at + 1), end: 'answered' }));
  for (const sent of batch.slice(sure)) exchanges.push({ sent, ...(await converse(port, [sent])) });
  return exchanges;
}

/** node:http answers by itself what is no HTTP; our own answers carry a request id. */
export function isOurs(received: Received): boolean {
  return received.headers.some(([name]) => name === 'x-request-id');
}

export async function exchangeHostile(port: number, sent: Wire): Promise<Exchange> {
  return { sent, ...(await converse(port, [sent], true)) };
}

function converse(port: number, batch: readonly Wire[], hangUp = false): Promise<Omit<Exchange, 'sent'>> {
  return new Promise(resolve => {
    const socket = connect({ port, host: '127.0.0.1' });
    const chunks: Buffer[] = [];
    let waiting: NodeJS.Timeout | undefined;
    const finish = (end: Exchange['end']) => {
      clearTimeout(timer);
      clearTimeout(waiting);
      socket.destroy();
      const { received } = read(Buffer.concat(chunks).toString('latin1'), batch, true);
      resolve({ received, end: received.length >= batch.length ? 'answered' : end });
    };
    const timer = setTimeout(() => finish('silent'), ANSWER_TIMEOUT_MS);
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      const { complete } = read(Buffer.concat(chunks).toString('latin1'), batch, false);
      if (complete < batch.length) return;
      if (hangUp) socket.end();
      else finish('answered');
    });
    socket.on('error', () => {});
    socket.on('close', () => finish('closed'));
    for (const { bytes } of batch) socket.write(bytes);
    if (hangUp) waiting = setTimeout(() => socket.end(), HANG_UP_MS);
  });
}

const NO_CHUNKS = '0\r\n\r\n';

/** The answers in a stream of bytes. At its end an answer without a length is complete too. */
function read(text: string, batch: readonly Wire[], ended: boolean): { received: Received[]; complete: number } {
  const received: Received[] = [];
  let at = 0;
  for (;;) {
    const headEnd = text.indexOf('\r\n\r\n', at);
    if (headEnd < 0) break;
    const [first = '', ...lines] = text.slice(at, headEnd).split('\r\n');
    const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(first)?.[1]);
    const headers = lines.map((line): [string, string] => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    });
    at = headEnd + 4;
    if (status >= 100 && status < 200) continue;
    const length = headers.find(([name]) => name === 'content-length')?.[1];
    const bare = batch[received.length]?.method === 'HEAD' || status === 204 || status === 304;
    let size = bare ? 0 : Number(length);
    if (headers.some(([name]) => name === 'transfer-encoding')) {
      // Only node:http itself answers in chunks, and only with none.
      size = text.startsWith(NO_CHUNKS, at) ? 0 : Number.POSITIVE_INFINITY;
      at += NO_CHUNKS.length;
    } else if (length === undefined && !bare) {
      if (!ended) break;
      size = text.length - at;
    }
    if (text.length < at + size) break;
    received.push({ status, headers, body: text.slice(at, at + size) });
    at += size;
  }
  return { received, complete: received.length };
}
