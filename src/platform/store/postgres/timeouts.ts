/** How often operations are checked for their timeout. */
export const CHECK_INTERVAL_MS = 100;

export function isOver(startedAt: number, timeoutMs: number): boolean {
  return performance.now() - startedAt >= timeoutMs;
}
