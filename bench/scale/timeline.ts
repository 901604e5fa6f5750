/** The clock of a discrete-event simulation: what happens, in the order of its time; at the same time, in the order of scheduling. */
interface Entry {
  readonly at: number;
  readonly order: number;
  readonly act: () => void;
}

export class Timeline {
  /** A binary heap. */
  readonly #heap: Entry[] = [];
  #order = 0;
  now = 0;

  after(delay: number, act: () => void): void {
    const entry = { at: this.now + delay, order: this.#order++, act };
    const heap = this.#heap;
    let at = heap.length;
    heap.push(entry);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(entry, heap[parent] as Entry)) break;
      heap[at] = heap[parent] as Entry;
      at = parent;
    }
    heap[at] = entry;
  }

  /** Until nothing is left, or the condition holds. */
  run(until: () => boolean = () => false): void {
    while (!until()) {
      const entry = this.#take();
      if (!entry) return;
      this.now = entry.at;
      entry.act();
    }
  }

  #take(): Entry | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (!first || !last || heap.length === 0) return first;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1] as Entry, heap[child] as Entry)) child++;
      if (!isBefore(heap[child] as Entry, last)) break;
      heap[at] = heap[child] as Entry;
      at = child;
    }
    heap[at] = last;
    return first;
  }
}

function isBefore(one: Entry, other: Entry): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}
