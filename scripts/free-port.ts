import { randomInt } from 'node:crypto';
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

/** A port on which nothing listens. A process gets each one once. */
export async function freePort(): Promise<number> {
  for (let tried = 0; tried < COUNT; tried++) {
    const port = FIRST + (next++ % COUNT);
    if (await isFree(port)) return port;
  }
  throw new Error(`no port from ${FIRST} to ${FIRST + COUNT - 1} is free`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
