import { randomInt } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the range from which the system gives ports to outgoing connections (32768 and up): one of these would otherwise take the port
 * before the server that it was found for listens, which may be seconds later on a busy machine. Browsers refuse some lower ones.
 */
const FIRST = 20_000;
const COUNT = 12_000;

/**
 * The processes of one test run begin apart: a port that one has found, and on which it does not listen yet, is not found by another.
 * Those that they start begin anywhere.
 */
const { TEST_PORTS_FROM } = process.env;
delete process.env.TEST_PORTS_FROM;
let next = Number(TEST_PORTS_FROM ?? randomInt(COUNT));

/** Where each of so many processes begins. */
export function portRanges(processes: number): readonly string[] {
  const first = randomInt(COUNT);
  const size = Math.floor(COUNT / processes);
  return Array.from({ length: processes }, (_, index) => String(first + index * size));
}

/** So many ports stay with the process that found them: more than the servers of one file of tests. */
const MAX_CLAIMS = 200;
const claims: Socket[] = [];

/**
 * A port on which nothing listens. A process gets each one once, and no other process gets it meanwhile: a server that is killed and
 * started again would find the server of another test in its place, whose applications and clients have the same names.
 */
export async function freePort(): Promise<number> {
  for (let tried = 0; tried < COUNT; tried++) {
    const port = FIRST + (next++ % COUNT);
    const claim = await claimOf(port);
    if (claim === undefined) continue;
    if (await isFree(port)) return kept(port, claim);
    claim.close();
  }
  throw new Error(`no port from ${FIRST} to ${FIRST + COUNT - 1} is free`);
}

/** The UDP port of the same number, which nothing else uses. The system gives it to one process, until it ends. */
async function claimOf(port: number): Promise<Socket | undefined> {
  const socket = createSocket('udp4').unref();
  try {
    socket.bind({ port, address: '127.0.0.1', exclusive: true });
    await once(socket, 'listening');
    return socket;
  } catch {
    socket.close();
    return undefined;
  }
}

function kept(port: number, claim: Socket): number {
  claims.push(claim);
  if (claims.length > MAX_CLAIMS) claims.shift()?.close();
  return port;
}

function isFree(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
