/** Errors that nobody waits for: a promise that fails unheard, an exception of a timer. */
import type { run } from 'node:test';
import { inspect } from 'node:util';
import type { Failure } from './result.ts';

interface Place {
  readonly name: string;
  readonly line?: number | undefined;
}

/** Each is a failure of the test that runs when it comes; node:test itself may know better of which one it is. */
export class Strays {
  readonly #met: { readonly error: unknown; readonly at: Place }[] = [];
  readonly #running = new Map<string, Place>();

  constructor(events: ReturnType<typeof run>) {
    events.on('test:dequeue', ({ name, line, column }) =>
      this.#running.set(`${line}:${column} ${name}`, { name, line }),
    );
    events.on('test:complete', ({ name, line, column }) => this.#running.delete(`${line}:${column} ${name}`));
    process.on('unhandledRejection', this.#meet).on('uncaughtException', this.#meet);
  }

  readonly #meet = (error: unknown) => {
    this.#met.push({ error, at: [...this.#running.values()].at(-1) ?? { name: 'the file as a whole' } });
  };

  /** Those that are no failure of a test yet. From now on they end the process. */
  close(told: ReadonlySet<unknown>): Failure[] {
    process.off('unhandledRejection', this.#meet).off('uncaughtException', this.#meet);
    return this.#met
      .filter(({ error }) => !told.has(error))
      .map(({ error, at }) => {
        const message = error instanceof Error ? error.message : String(error);
        const reason = `an error that nothing waited for: ${message.split('\n', 1)[0]}`;
        return { name: at.name, line: at.line, reason, details: inspect(error) };
      });
  }
}
