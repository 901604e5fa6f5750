/**
 * The login names and ids of a whole file, to find those that it has twice. Holds hashes of 64 bits and line numbers in typed
 * arrays, 12 bytes for each place: about 60 bytes for a user with three names. Among 15 million names the chance that two different ones
 * are taken for the same is one in a hundred thousand.
 */
export class NameSet {
  #high = new Uint32Array(1 << 12);
  #low = new Uint32Array(1 << 12);
  #lines = new Uint32Array(1 << 12);
  #size = 0;

  /** The line that has the name already, or undefined, and then it is added. */
  add(name: string, line: number): number | undefined {
    if (this.#size * 4 >= this.#lines.length * 3) this.#grow();
    const [high, low] = hash(name);
    const place = this.#place(high, low);
    const before = this.#lines[place];
    if (before) return before;
    this.#put(place, high, low, line);
    this.#size++;
    return undefined;
  }

  /** Where the name is, or the free place where it belongs. A line of 0 is free. */
  #place(high: number, low: number): number {
    const mask = this.#lines.length - 1;
    let place = low & mask;
    while (this.#lines[place] && (this.#high[place] !== high || this.#low[place] !== low)) place = (place + 1) & mask;
    return place;
  }

  #put(place: number, high: number, low: number, line: number): void {
    this.#high[place] = high;
    this.#low[place] = low;
    this.#lines[place] = line;
  }

  #grow(): void {
    const [highs, lows, lines] = [this.#high, this.#low, this.#lines];
    this.#high = new Uint32Array(highs.length * 2);
    this.#low = new Uint32Array(highs.length * 2);
    this.#lines = new Uint32Array(highs.length * 2);
    for (let index = 0; index < lines.length; index++) {
      const [high = 0, low = 0, line = 0] = [highs[index], lows[index], lines[index]];
      if (line > 0) this.#put(this.#place(high, low), high, low, line);
    }
  }
}

/** Two 32-bit hashes with different multipliers, each mixed at the end so that all bits depend on all characters. */
function hash(text: string): [high: number, low: number] {
  let high = 0x9e3779b9;
  let low = 0x85ebca6b;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    high = Math.imul(high ^ unit, 0x01000193);
    low = Math.imul(low ^ unit, 0x5bd1e995) ^ (low >>> 15);
  }
  return [mixed(high ^ text.length), mixed(low ^ Math.imul(text.length, 0x27d4eb2f))];
}

function mixed(value: number): number {
  let bits = Math.imul(value ^ (value >>> 16), 0x7feb352d);
  bits = Math.imul(bits ^ (bits >>> 15), 0x846ca68b);
  return (bits ^ (bits >>> 16)) >>> 0;
}
