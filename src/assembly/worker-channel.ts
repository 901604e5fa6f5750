import type { Family } from '../platform/observe/metrics.ts';
import type { Attempt } from '../platform/throttle/attempts.ts';
import type { Admission } from '../platform/throttle/throttle.ts';

/** The messages between the primary and its workers. A request has an id, which its reply repeats. */
export type WorkerMessage =
  /** The worker accepts requests. */
  | { readonly kind: 'ready' }
  /** The worker could not start, and exits. */
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'admit'; readonly id: number; readonly attempt: Attempt }
  | { readonly kind: 'succeeded' | 'withdrawn'; readonly attempt: Attempt }
  /** Requests the metrics of all workers as text. */
  | { readonly kind: 'exposition'; readonly id: number }
  | { readonly kind: 'reply'; readonly id: number; readonly value: readonly Family[] };

export type PrimaryMessage =
  /** From now on this worker runs the jobs that one process does for all. */
  | { readonly kind: 'runSharedJobs' }
  | { readonly kind: 'drain' }
  /** Requests the metrics of this worker. */
  | { readonly kind: 'families'; readonly id: number }
  | { readonly kind: 'reply'; readonly id: number; readonly value: Admission | string };

/** Requests to another process that have no reply yet. Each is rejected after `timeoutMs`. */
export class PendingReplies {
  readonly #timeoutMs: number;
  #lastId = 0;
  readonly #resolvers = new Map<number, (value: never) => void>();

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  send<T>(post: (id: number) => void): Promise<T> {
    const id = ++this.#lastId;
    return new Promise<T>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#resolvers.delete(id);
        reject(new Error(`no reply from the other process within ${this.#timeoutMs} ms`));
      }, this.#timeoutMs);
      this.#resolvers.set(id, value => {
        clearTimeout(timer);
        resolve(value);
      });
      post(id);
    });
  }

  resolve(id: number, value: unknown): void {
    this.#resolvers.get(id)?.(value as never);
    this.#resolvers.delete(id);
  }
}
