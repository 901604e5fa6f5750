import type { Socket } from 'node:net';
import { openSocket, secureSocket, type TlsTarget } from '../../platform/outbound/socket.ts';
import { messageLength } from './ber.rules.ts';
import {
  bindRequest,
  type Entry,
  type Response,
  type Result,
  readResponse,
  type Search,
  searchRequest,
  startTlsRequest,
  unbindRequest,
} from './message.rules.ts';
import { isPassing, meaningOf, SIZE_LIMIT_EXCEEDED, SUCCESS } from './result.rules.ts';

/** Why a directory gave no answer that counts. The message is for operators. */
export class DirectoryUnavailable extends Error {
  override readonly name = 'DirectoryUnavailable';
}

/** The directory answered, and refuses what this server asks of it. */
export class DirectoryRefusal extends Error {
  override readonly name = 'DirectoryRefusal';
}

export interface DirectoryAddress {
  readonly host: string;
  readonly port: number;
  /** From the first byte, by StartTLS (RFC 4511 section 4.14), or not at all, which reaches this machine alone. */
  readonly security: 'tls' | 'starttls' | 'none';
  readonly tls: TlsTarget;
}

/** An entry with many groups has some hundred kilobytes. */
const MAX_MESSAGE_BYTES = 1024 * 1024;
/** Of one search, in all its pages. */
const MAX_SEARCH_BYTES = 8 * MAX_MESSAGE_BYTES;
/** Active Directory gives at most 1000 in one answer. */
const PAGE_SIZE = 200;
const MAX_PAGES = 20;

/** Where the deadline of an operation is, by performance.now(). */
export type Deadline = number;

export interface LdapConnection {
  /** The result, whatever it is: a wrong password is one too. */
  bind(dn: string, password: string, deadline: Deadline): Promise<Result>;
  /** At most `maxEntries`, over several pages. Referrals are not followed. */
  search(search: WholeSearch, deadline: Deadline): Promise<readonly Entry[]>;
  readonly isOpen: boolean;
  /** Whether it keeps the process alive. */
  ref(isUsed: boolean): void;
  close(): void;
}

export type WholeSearch = Omit<Search, 'timeoutSeconds' | 'page'>;

export async function openConnection(
  { host, port, security, tls }: DirectoryAddress,
  allowed: Parameters<typeof openSocket>[1],
  deadline: Deadline,
): Promise<LdapConnection> {
  const left = () => Math.max(1, Math.ceil(deadline - performance.now()));
  const target = { host, port, isLoopbackOnly: security === 'none', timeoutMs: left() };
  let socket: Socket | undefined;
  try {
    socket = await openSocket({ ...target, tls: security === 'tls' ? tls : undefined }, allowed);
    if (security !== 'starttls') return connectionOn(socket);
    const plain = exchangesOn(socket);
    const [answer] = await plain.exchange(startTlsRequest, deadline);
    if (answer?.kind !== 'extended') throw new DirectoryUnavailable('StartTLS was answered with something else');
    if (answer.code !== SUCCESS) throw new DirectoryRefusal(`StartTLS was refused (${meaningOf(answer)}): use ldaps`);
    // Whoever is on the way could have written what is read after the handshake as if it had come by TLS.
    if (plain.release() > 0) throw new DirectoryUnavailable('the directory sent something before TLS');
    return connectionOn(await secureSocket(socket, { host, tls, timeoutMs: left() }));
  } catch (fault) {
    socket?.destroy();
    if (fault instanceof DirectoryRefusal) throw fault;
    throw new DirectoryUnavailable((fault as Error).message);
  }
}

function connectionOn(socket: Socket): LdapConnection {
  const exchanges = exchangesOn(socket);
  return {
    async bind(dn, password, deadline) {
      const [result] = await exchanges.exchange(id => bindRequest(id, dn, password), deadline);
      if (result?.kind === 'bound') return result;
      throw exchanges.fail('a bind was answered with something else');
    },
    search: (search, deadline) => searchPages(exchanges, search, deadline),
    get isOpen() {
      return exchanges.isOpen();
    },
    ref: isUsed => {
      if (isUsed) socket.ref();
      else socket.unref();
    },
    close: () => {
      if (exchanges.isOpen()) socket.end(unbindRequest(1));
      exchanges.release();
      socket.destroySoon();
    },
  };
}

async function searchPages(exchanges: Exchanges, search: WholeSearch, deadline: Deadline): Promise<readonly Entry[]> {
  const found: Entry[] = [];
  let cookie: Buffer | undefined = Buffer.alloc(0);
  for (let page = 0; cookie && page < MAX_PAGES && found.length < search.maxEntries; page++) {
    const asked = { cookie, size: Math.min(PAGE_SIZE, search.maxEntries) };
    const timeoutSeconds = Math.max(1, Math.ceil((deadline - performance.now()) / 1000));
    const request = (id: number) => searchRequest(id, { ...search, timeoutSeconds, page: asked });
    const answers = await exchanges.exchange(request, deadline, search.maxEntries);
    const result = answers.at(-1);
    if (result?.kind !== 'found') throw exchanges.fail('a search was answered with something else');
    if (result.code !== SUCCESS && result.code !== SIZE_LIMIT_EXCEEDED) throw refusalOf(result);
    found.push(...answers.filter(each => each.kind === 'entry'));
    cookie = result.code === SUCCESS ? result.cookie : undefined;
  }
  return found.slice(0, search.maxEntries);
}

export function refusalOf(result: Result): Error {
  const meaning = meaningOf(result);
  return isPassing(result.code) ? new DirectoryUnavailable(meaning) : new DirectoryRefusal(meaning);
}

interface Exchanges {
  /** Sends a request, and collects its answers up to its result. One at a time: a pool hands connections out. */
  exchange(request: (id: number) => Buffer, deadline: Deadline, maxEntries?: number): Promise<readonly Response[]>;
  /** Ends the connection, because what came over it does not hold. */
  fail(reason: string): DirectoryUnavailable;
  isOpen(): boolean;
  /** Stops reading; returns how many bytes nobody has read. */
  release(): number;
}

interface Waiting {
  readonly id: number;
  readonly maxEntries: number;
  readonly answers: Response[];
  readonly resolve: (answers: readonly Response[]) => void;
  readonly reject: (fault: Error) => void;
}

function exchangesOn(socket: Socket): Exchanges {
  let pieces: Buffer[] = [];
  let buffered = 0;
  let received = 0;
  let lastId = 1;
  let isOpen = true;
  let waiting: Waiting | undefined;

  const end = (reason: string) => {
    const fault = new DirectoryUnavailable(reason);
    isOpen = false;
    socket.destroy();
    waiting?.reject(fault);
    waiting = undefined;
    return fault;
  };
  const take = (response: Response, id: number) => {
    if (!waiting || id !== waiting.id) throw new Error('the directory answered something that nobody asked');
    waiting.answers.push(response);
    if (waiting.answers.length > 2 * waiting.maxEntries + 2) throw new Error('the directory sends more than was asked');
    if (response.kind === 'entry' || response.kind === 'reference') return;
    const { answers, resolve } = waiting;
    waiting = undefined;
    resolve(answers);
  };
  const read = () => {
    let bytes = pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
    for (;;) {
      const length = messageLength(bytes, MAX_MESSAGE_BYTES);
      if (length === undefined || length > bytes.length) break;
      const { id, response } = readResponse(bytes.subarray(0, length));
      bytes = bytes.subarray(length);
      take(response, id);
    }
    pieces = bytes.length === 0 ? [] : [bytes];
    buffered = bytes.length;
  };
  const onData = (piece: Buffer) => {
    pieces.push(piece);
    buffered += piece.length;
    received += piece.length;
    try {
      if (received > MAX_SEARCH_BYTES) throw new Error('the directory sends too much');
      if (isWorthReading(pieces, buffered)) read();
    } catch (fault) {
      end((fault as Error).message);
    }
  };
  const onError = (error: Error) => void end(error.message);
  const onClose = () => void end('the connection was closed');
  socket.on('data', onData);
  socket.on('error', onError);
  socket.on('close', onClose);
  socket.on('end', onClose);

  return {
    exchange(request, deadline, maxEntries = 0) {
      if (!isOpen || waiting) throw new DirectoryUnavailable('the connection was closed');
      received = 0;
      const id = ++lastId;
      return new Promise<readonly Response[]>((resolve, reject) => {
        const left = Math.max(1, Math.ceil(deadline - performance.now()));
        const timer = setTimeout(() => end('no complete answer in time'), left);
        const settled =
          <T>(settle: (value: T) => void) =>
          (value: T) => {
            clearTimeout(timer);
            settle(value);
          };
        waiting = { id, maxEntries, answers: [], resolve: settled(resolve), reject: settled(reject) };
        socket.write(request(id));
      });
    },
    fail: end,
    isOpen: () => isOpen,
    release() {
      isOpen = false;
      socket.off('data', onData);
      socket.off('close', onClose);
      socket.off('end', onClose);
      socket.off('error', onError);
      // An error that comes after all is said has nobody to be told to.
      socket.on('error', () => {});
      return buffered;
    },
  };
}

/** A message that arrives in many pieces is put together once it is complete, not with every piece. */
function isWorthReading(pieces: readonly Buffer[], buffered: number): boolean {
  const [first] = pieces as readonly [Buffer];
  const length = pieces.length === 1 ? undefined : messageLength(first, MAX_MESSAGE_BYTES);
  return length === undefined || buffered >= length;
}
