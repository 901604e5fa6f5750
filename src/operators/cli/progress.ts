import type { CommandContext, Output } from './command.ts';

/** A bar on standard error, for a person who waits; nothing where standard error is not a terminal. */
export interface Progress {
  /** `done` of the total that the bar shows, such as bytes, and how many things that were. */
  show(done: number, things: number): void;
  end(): void;
}

const WIDTH = 30;
const INTERVAL_MS = 200;
/** Of the line, from the cursor on (ECMA-48, EL). */
const CLEAR_REST = '\x1b[K';
/** Nothing is shown for what takes less than a second. */
const PATIENCE_MS = 1000;

/** Without a total: the numbers alone. */
export function createProgress(
  verb: string,
  total: number | undefined,
  { stderr: stream, now = () => performance.now() }: CommandContext,
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
      const rate = Math.round((things * 1000) / (time - startedAt));
      stream.write(`\r${barOf(done, total)}${things} ${verb}, ${rate}/s${CLEAR_REST}`);
    },
    end() {
      if (isShown) stream.write(`\r${CLEAR_REST}`);
    },
  };
}

function barOf(done: number, total: number | undefined): string {
  if (total === undefined) return '';
  const part = total === 0 ? 1 : Math.min(1, done / total);
  return `[${'#'.repeat(Math.floor(part * WIDTH)).padEnd(WIDTH, '.')}] ${Math.floor(part * 100)} %, `;
}

/** Shows a line while something runs that cannot tell how far it is: at once if it `takesLong`, otherwise after a second. */
export async function showWhile<T>(
  text: string,
  takesLong: boolean,
  stream: Output,
  work: () => Promise<T>,
): Promise<T> {
  if (!stream.isTTY) return work();
  const show = () => stream.write(`\r${text}${CLEAR_REST}`);
  const timer = setTimeout(show, PATIENCE_MS);
  if (takesLong) show();
  try {
    return await work();
  } finally {
    clearTimeout(timer);
    stream.write(`\r${CLEAR_REST}`);
  }
}
