import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/**
 * A proxy between a node and PostgreSQL that can lose the answer to one query: the query reaches the server, which executes it, but
 * the node gets no answer. It can also delay every answer.
 */
export interface DatabaseProxy {
  readonly url: string;
  /**
   * Cuts the connection on which these bytes are sent next. `answered`: when the server has answered, so that the query
   * is committed; `sent`: at once, while the server still executes it. Resolves when the server has finished.
   */
  cutAfter(needle: Uint8Array, when: 'answered' | 'sent'): Promise<void>;
  /** From now on every answer is delayed by this time. */
  slow(milliseconds: number): void;
  /** From now on answers are kept, until what it returns is called. */
  hold(): () => void;
  /** From now on no new connection gets through, until `open`, and the next that is cut takes all others along. */
  shut(): void;
  open(): void;
  close(): Promise<void>;
}

/** ReadyForQuery outside of a transaction: whatever was asked before is committed (PostgreSQL manual, section 54.7). */
const DONE = Buffer.from('Z\0\0\0\x05I', 'latin1');

interface Trap {
  readonly needle: Uint8Array;
  readonly when: 'answered' | 'sent';
  readonly sprung: () => void;
}

export async function startProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let trap: Trap | undefined;
  let shut = false;
  let delayMs = 0;
  let held: Promise<void> | undefined;

  const cut = (node: Socket, database: Socket, { when, sprung }: Trap) => {
    trap = undefined;
    // The other side must not notice yet: a pooler that reads the end of a connection gives up what it has not finished.
    node.removeAllListeners('close');
    if (when === 'sent') {
      node.destroy();
      sprung();
    }
    if (shut) for (const socket of sockets) if (socket !== node && socket !== database) socket.destroy();
    database.removeAllListeners('data');
    let answer = Buffer.alloc(0);
    database.on('data', (part: Buffer) => {
      answer = Buffer.concat([answer, part]);
      if (!answer.subarray(-DONE.length).equals(DONE)) return;
      node.destroy();
      database.destroy();
      if (when === 'answered') sprung();
    });
  };

  const server = createServer(node => {
    if (shut) return void node.destroy();
    const database = connect(Number(target.port), target.hostname);
    for (const socket of [node, database]) sockets.add(socket.setNoDelay(true).on('error', () => {}));
    node.on('data', (part: Buffer) => {
      database.write(part);
      if (trap && part.includes(trap.needle)) cut(node, database, trap);
    });
    // In their order, also behind answers that came while they were delayed.
    let last: Promise<unknown> = Promise.resolve();
    database.on('data', part => {
      const release = held ?? (delayMs > 0 ? pause(delayMs) : undefined);
      last = last.then(() => release).then(() => node.write(part));
    });
    database.on('close', () => node.destroy());
    node.on('close', () => database.end());
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: Object.assign(new URL(databaseUrl), { host: `127.0.0.1:${port}` }).href,
    cutAfter: (needle, when) =>
      new Promise(resolve => {
        trap = { needle, when, sprung: resolve };
      }),
    slow: milliseconds => {
      delayMs = milliseconds;
    },
    hold: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return () => {
        held = undefined;
        resolve();
      };
    },
    shut: () => {
      shut = true;
    },
    open: () => {
      shut = false;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise(resolve => server.close(resolve));
    },
  };
}
