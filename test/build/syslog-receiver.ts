import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';

/** A syslog receiver over TLS (RFC 5425), on 127.0.0.1, that reads RFC 5424 strictly. */
export interface SyslogReceiver {
  readonly port: number;
  readonly messages: readonly SyslogMessage[];
  readonly connections: () => number;
  /** The next connections are reset after so many bytes, as by a machine that dies. */
  cut(...afterBytes: number[]): void;
  down(): Promise<void>;
  up(): Promise<void>;
}

export interface SyslogMessage {
  readonly priority: number;
  readonly time: string;
  readonly host: string;
  readonly app: string;
  readonly id: string;
  readonly text: string;
}

/** `folder` has key.pem and certificate.pem (certificate.ts). */
export async function openSyslogReceiver(
  folder: string,
  options: { readonly plain?: boolean } = {},
): Promise<SyslogReceiver> {
  const messages: SyslogMessage[] = [];
  const cuts: number[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const accept = (socket: Socket) => {
    connections++;
    sockets.add(socket);
    const after = cuts.shift();
    let pending: Buffer = Buffer.alloc(0);
    let received = 0;
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (piece: Buffer) => {
      received += piece.length;
      if (after !== undefined && received > after) return void reset(socket);
      pending = takeFrames(Buffer.concat([pending, piece]), messages);
    });
    socket.on('end', () => {
      assert.equal(pending.length, 0, 'the connection ends in the middle of a message');
      socket.end();
    });
  };
  const raw = new Set<Socket>();
  const reset = (socket: Socket) => {
    for (const each of raw) if (each.remotePort === socket.remotePort) each.resetAndDestroy();
  };
  const pem = (name: string) => readFileSync(join(folder, name));
  const make = () =>
    options.plain
      ? createTcpServer({ allowHalfOpen: true }, accept)
      : createTlsServer({ key: pem('key.pem'), cert: pem('certificate.pem'), allowHalfOpen: true }, accept);
  const begin = () => {
    const server = make();
    server.on('connection', (socket: Socket) => {
      raw.add(socket);
      socket.on('close', () => raw.delete(socket));
    });
    return server;
  };
  let server = begin();
  await listen(server, 0);
  const { port } = server.address() as AddressInfo;
  return {
    port,
    messages,
    connections: () => connections,
    cut: (...afterBytes) => {
      cuts.push(...afterBytes);
    },
    down: async () => {
      for (const socket of [...sockets, ...raw]) socket.destroy();
      await new Promise(resolve => server.close(resolve));
    },
    up: async () => {
      server = begin();
      await listen(server, port);
    },
  };
}

/** Takes the complete messages, and returns the rest. */
function takeFrames(data: Buffer, messages: SyslogMessage[]): Buffer {
  let rest = data;
  for (;;) {
    const space = rest.indexOf(' ');
    if (space < 0) return rest;
    const length = rest.toString('latin1', 0, space);
    assert.match(length, /^[1-9]\d{0,3}$/, 'MSG-LEN');
    const end = space + 1 + Number(length);
    if (rest.length < end) return rest;
    messages.push(readMessage(rest.toString('utf8', space + 1, end)));
    rest = rest.subarray(end);
  }
}

/** RFC 5424 section 6. */
const MESSAGE =
  /^<(\d{1,3})>1 (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?Z) ([\x21-\x7e]{1,255}) ([\x21-\x7e]{1,48}) ([\x21-\x7e]{1,128}) ([\x21-\x7e]{1,32}) - ([\x20-\x7e]*)$/;

function readMessage(text: string): SyslogMessage {
  const [, priority, time = '', host = '', app = '', , id = '', message = ''] = MESSAGE.exec(text) ?? assert.fail(text);
  assert(Number(priority) <= 191);
  return { priority: Number(priority), time, host, app, id, text: message };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
}
