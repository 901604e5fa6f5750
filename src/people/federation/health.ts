import type { Clock } from '../../platform/deps.ts';

/**
 * Which providers answer, as this process sees it. One that has failed several times in a row is left alone for a while: nobody waits for
 * it, and it gets no requests that would only make it slower.
 */
export interface ProviderHealth {
  isAvailable(id: string): boolean;
  note(id: string, hasAnswered: boolean): void;
  /** What to call when the provider has answered, or not. Undefined: so many wait for it already that this one must not. */
  tryAcquire(id: string): (() => void) | undefined;
}

const MAX_FAILURES = 3;
/** Then the next person tries it again. */
const PAUSE_SECONDS = 30;
/**
 * Requests of this process that wait for one provider, and for all of them. A provider that takes its five seconds, and whoever sends many people
 * there, leave half of the 256 requests that are handled at the same time to everybody else.
 */
const MAX_WAITING_FOR_ONE = 64;
const MAX_WAITING = 128;

export function createProviderHealth(clock: Clock): ProviderHealth {
  const failing = new Map<string, { count: number; lastAt: number }>();
  const waiting = new Map<string, number>();
  let total = 0;
  return {
    isAvailable: id => {
      const seen = failing.get(id);
      return !seen || seen.count < MAX_FAILURES || clock.now() - seen.lastAt >= PAUSE_SECONDS;
    },
    note: (id, hasAnswered) => {
      if (hasAnswered) failing.delete(id);
      else failing.set(id, { count: (failing.get(id)?.count ?? 0) + 1, lastAt: clock.now() });
    },
    tryAcquire: id => {
      const present = waiting.get(id) ?? 0;
      if (present >= MAX_WAITING_FOR_ONE || total >= MAX_WAITING) return undefined;
      waiting.set(id, present + 1);
      total++;
      return () => {
        const left = (waiting.get(id) ?? 1) - 1;
        if (left === 0) waiting.delete(id);
        else waiting.set(id, left);
        total--;
      };
    },
  };
}
