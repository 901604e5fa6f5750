import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from '../../platform/deps.ts';

/** How long a provider takes to refuse a password. */
export interface Delays {
  note(ms: number): void;
  /** For somebody about whom it is not asked. */
  waitAsForCheck(): Promise<void>;
}

/** More than the sign-ins of a minute of most providers. */
const MAX_KEPT = 64;

/**
 * Whose password is not sent would be refused sooner than whose is. So such a person waits as long as a check took lately: one of the last
 * ones, chosen by chance, so that the times of both are distributed alike.
 */
export function createDelays(random: Random): Delays {
  const seen: number[] = [];
  let next = 0;
  return {
    note(ms) {
      seen[next++ % MAX_KEPT] = ms;
    },
    async waitAsForCheck() {
      const chosen = seen[random.bytes(1).readUInt8() % Math.max(1, seen.length)];
      if (chosen !== undefined) await pause(chosen);
    },
  };
}
