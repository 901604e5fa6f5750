/**
 * A map of limited size, so that callers cannot fill the memory: when it is full, `set` evicts the sixteenth of the entries that
 * were written first. It evicts many at once because a Map keeps deleted entries in its table for a while, and finding the first
 * entry walks over them. docs/decisions/README.md compares it with lru-cache.
 */
export class BoundedCache<K, V> {
  readonly #entries = new Map<K, V>();
  readonly #maxEntries: number;

  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries;
  }

  get(key: K): V | undefined {
    return this.#entries.get(key);
  }

  set(key: K, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size > this.#maxEntries) this.#evictOldest();
  }

  delete(key: K): void {
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }

  #evictOldest(): void {
    let left = Math.ceil(this.#maxEntries / 16);
    for (const key of this.#entries.keys()) {
      this.#entries.delete(key);
      if (--left === 0) return;
    }
  }
}
