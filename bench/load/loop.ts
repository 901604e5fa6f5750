import { Connection } from './connection.ts';
import type { Supply } from './supply.ts';

export interface Loop {
  readonly url: string;
  readonly connections: number;
  readonly seconds: number;
  /** No more requests than this. */
  readonly most: number;
  readonly render: (value: string) => string;
  readonly supply: Supply;
}

export interface Outcome {
  /** In milliseconds, of each good answer. */
  readonly latencies: readonly number[];
  readonly failed: number;
  /** The first answer that was no good. */
  readonly complaint: string | undefined;
  readonly seconds: number;
}

const TIMEOUT_MS = 20_000;

/**
 * A closed loop: every connection sends its next request when it got its answer. The connections are there before the clock
 * runs.
 */
export async function prepare(loop: Loop): Promise<{ run(): Promise<Outcome>; close(): void }> {
  let onAnswer: (connection: Connection, status: number, text: string) => void = () => {};
  let onLost: (error: Error) => void = () => {};
  const connections = await Promise.all(
    Array.from({ length: loop.connections }, (_, number) =>
      Connection.open(
        number,
        loop.url,
        (connection, status, text) => onAnswer(connection, status, text),
        error => onLost(error),
      ),
    ),
  );
  const run = () =>
    new Promise<Outcome>((resolve, reject) => {
      const latencies: number[] = [];
      let failed = 0;
      let complaint: string | undefined;
      let sent = 0;
      let busy = connections.length;
      const began = performance.now();
      const end = began + loop.seconds * 1000;
      const timer = setTimeout(
        () => reject(new Error(`${loop.url} left requests without an answer`)),
        loop.seconds * 1000 + TIMEOUT_MS,
      );
      const next = (connection: Connection, now: number) => {
        const value = now < end && sent < loop.most ? loop.supply.next(connection.number) : undefined;
        if (value !== undefined) {
          sent++;
          connection.since = now;
          connection.send(loop.render(value));
        } else if (--busy === 0) {
          clearTimeout(timer);
          onLost = () => {};
          resolve({ latencies, failed, complaint, seconds: (performance.now() - began) / 1000 });
        }
      };
      onLost = reject;
      onAnswer = (connection, status, text) => {
        const now = performance.now();
        if (status < 400 && loop.supply.answered(connection.number, text)) latencies.push(now - connection.since);
        else {
          failed++;
          complaint ??= text.slice(0, 1000);
        }
        next(connection, now);
      };
      for (const connection of connections) next(connection, performance.now());
    });
  const close = () => {
    for (const connection of connections) connection.close();
  };
  return { run, close };
}
