import type { Family } from '../observe/metrics.ts';

/** What the primary and its workers tell and ask each other. A question has a number, which its answer repeats. */
export type FromWorker =
  | { readonly kind: 'up' }
  /** It cannot serve, and ends. */
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'admit'; readonly id: number; readonly account: string; readonly address: string }
  | { readonly kind: 'succeeded' | 'withdrawn'; readonly account: string; readonly address: string }
  /** The metrics of all workers as text. */
  | { readonly kind: 'exposition'; readonly id: number }
  | { readonly kind: 'answer'; readonly id: number; readonly value: readonly Family[] };

export type FromPrimary =
  /** From now on this one runs the jobs that one process does for all. */
  | { readonly kind: 'lead' }
  | { readonly kind: 'drain' }
  | { readonly kind: 'families'; readonly id: number }
  | { readonly kind: 'answer'; readonly id: number; readonly value: number | string | null };

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
