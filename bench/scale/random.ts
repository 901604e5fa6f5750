/** Random numbers that are the same for the same seed, on every machine. */
export class SeededRandom {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 to below 1: mulberry32, 32 bits of state, which is enough for a few million arrivals. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  exponential(mean: number): number {
    return -mean * Math.log(1 - this.next());
  }

  /** From measured quantiles, in rising order and at equal distances. */
  from(quantiles: readonly number[]): number {
    const at = this.next() * (quantiles.length - 1);
    const below = quantiles[Math.floor(at)] ?? 0;
    const above = quantiles[Math.ceil(at)] ?? below;
    return below + (above - below) * (at - Math.floor(at));
  }
}
