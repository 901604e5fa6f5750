const REPORT_MS = 1000;

/** For a log of what happens in great numbers: a line a second at the most, with the number since the last. A line for each would cost more than its answer. */
export function reportOncePerSecond(say: (count: number) => void): () => void {
  let count = 0;
  const flush = () => {
    say(count);
    count = 0;
  };
  return () => {
    if (count++ === 0) setTimeout(flush, REPORT_MS).unref();
  };
}
