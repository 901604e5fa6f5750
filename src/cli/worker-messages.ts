import type { Family } from '../observe/metrics.ts';
import type { Admission, Attempt } from '../throttle.ts';

/** What the primary and its workers tell and ask each other. A question has a number, which its answer repeats. */
export type FromWorker =
  | { readonly kind: 'up' }
  /** It cannot serve, and ends. */
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'admit'; readonly id: number; readonly attempt: Attempt }
  | { readonly kind: 'succeeded' | 'withdrawn'; readonly attempt: Attempt }
  /** The metrics of all workers as text. */
  | { readonly kind: 'exposition'; readonly id: number }
  | { readonly kind: 'answer'; readonly id: number; readonly value: readonly Family[] };

export type FromPrimary =
  /** From now on this one runs the jobs that one process does for all. */
  | { readonly kind: 'lead' }
  | { readonly kind: 'drain' }
  | { readonly kind: 'families'; readonly id: number }
  | { readonly kind: 'answer'; readonly id: number; readonly value: Admission | string };

/** Questions on their way to another process. Nobody waits for an answer longer than `patience` milliseconds. */
export class Questions {
  readonly #patience: number;
  #last = 0;
  readonly #open = new Map<number, (value: never) => void>();

  constructor(patience: number) {
    this.#patience = patience;
  }

  ask<T>(send: (id: number) => void): Promise<T> {
    const id = ++this.#last;
    return new Promise<T>((resolve, reject) => {
      const overdue = setTimeout(() => {
        this.#open.delete(id);
        reject(new Error('another process of ours does not answer'));
      }, this.#patience);
      this.#open.set(id, value => {
        clearTimeout(overdue);
        resolve(value);
      });
      send(id);
    });
  }

  answered(id: number, value: unknown): void {
    this.#open.get(id)?.(value as never);
    this.#open.delete(id);
  }
}
