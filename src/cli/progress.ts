/** A bar on standard error, for a person who waits; nothing where standard error is not a terminal. */
export interface Progress {
  /** `done` of the total that the bar shows, such as bytes, and how many things that were. */
  show(done: number, things: number): void;
  end(): void;
}

const WIDTH = 30;
const INTERVAL_MS = 200;
/** Nothing is shown for what takes less than a second. */
const PATIENCE_MS = 1000;

export function createProgress(
  verb: string,
  total: number,
  stream: NodeJS.WriteStream = process.stderr,
  now: () => number = () => performance.now(),
): Progress {
  const startedAt = now();
  let shownAt = startedAt + PATIENCE_MS - INTERVAL_MS;
  let isShown = false;
  return {
    show(done, things) {
      const time = now();
      if (!stream.isTTY || time - shownAt < INTERVAL_MS) return;
      shownAt = time;
      isShown = true;
      const part = total === 0 ? 1 : Math.min(1, done / total);
      const bar = '#'.repeat(Math.floor(part * WIDTH)).padEnd(WIDTH, '.');
      const rate = Math.round((things * 1000) / (time - startedAt));
      stream.write(`\r[${bar}] ${Math.floor(part * 100)} %, ${things} ${verb}, ${rate}/s\x1b[K`);
    },
    end() {
      if (isShown) stream.write('\r\x1b[K');
    },
  };
}
