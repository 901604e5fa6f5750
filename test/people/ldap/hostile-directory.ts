import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { element, elementsOf, integer, integerOf, octets, TAG } from '../../../src/people/ldap/ber.rules.ts';

/** A server in the place of a directory, which answers what a test wants. */
export interface HostileDirectory {
  readonly url: string;
  readonly port: number;
  readonly connections: () => number;
  /** The operations that it was asked for, by their tags. */
  readonly asked: () => readonly number[];
  close(): Promise<void>;
}

export interface AskedOf {
  readonly id: number;
  readonly tag: number;
}

/** `answer`: the bytes for a request, or undefined for silence. */
export async function openHostileDirectory(answer: (asked: AskedOf) => Buffer | undefined): Promise<HostileDirectory> {
  const sockets = new Set<Socket>();
  let connections = 0;
  const asked: number[] = [];
  const server: Server = createServer(socket => {
    connections++;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('data', bytes => {
      const [whole] = elementsOf(bytes as Buffer);
      const [id, operation] = elementsOf(whole?.content ?? Buffer.alloc(0));
      const tag = operation?.tag ?? 0;
      asked.push(tag);
      const answered = answer({ id: integerOf(id), tag });
      if (answered) socket.write(answered);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { readonly port: number };
  return {
    url: `ldap://127.0.0.1:${port}`,
    port,
    connections: () => connections,
    asked: () => asked,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise(closed => server.close(closed));
    },
  };
}

export const BIND = 0x60;
export const SEARCH = 0x63;
export const EXTENDED = 0x77;

/** A result of this operation with this code. */
export function result(id: number, tag: number, code = 0): Buffer {
  return message(id, element(tag, integer(code, TAG.enumerated), octets(''), octets('')));
}

export function entry(id: number, dn: string, attributes: Readonly<Record<string, string>>): Buffer {
  const list = Object.entries(attributes).map(([name, value]) =>
    element(TAG.sequence, octets(name), element(TAG.set, octets(value))),
  );
  return message(id, element(0x64, octets(dn), element(TAG.sequence, ...list)));
}

export function message(id: number, ...parts: readonly Buffer[]): Buffer {
  return element(TAG.sequence, integer(id), ...parts);
}
