/** How often operations are looked at whose time may be over. */
export const CHECK_INTERVAL_MS = 100;

export function isOver(startedAt: number, timeoutMs: number): boolean {
  return performance.now() - startedAt >= timeoutMs;
}
