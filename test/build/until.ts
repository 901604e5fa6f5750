import { setTimeout as pause } from 'node:timers/promises';

/** Far beyond what any of them takes: a machine may stand still for seconds. */
const WAIT_TIMEOUT_MS = 120_000;

/** Waits for a condition, and fails when it does not come true. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = performance.now() + WAIT_TIMEOUT_MS; performance.now() < end; ) {
    if (await holds()) return;
    await pause(5);
  }
  throw new Error(`waited in vain until ${what}`);
}
