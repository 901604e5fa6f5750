const REPORT_MS = 1000;

/** For frequent events: at most one log line per second, with the count since the last. A line for each rejection would cost more than the rejection. */
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
