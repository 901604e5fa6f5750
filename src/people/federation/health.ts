import type { Clock } from '../../platform/deps.ts';

/**
 * Which providers answer, as this process sees it. One that has failed several times in a row is left alone for a while: nobody waits for
 * it, and it gets no requests that would only make it slower.
 */
export interface ProviderHealth {
  isAvailable(id: string): boolean;
  note(id: string, hasAnswered: boolean): void;
}

const MAX_FAILURES = 3;
/** Then the next person tries it again. */
const PAUSE_SECONDS = 30;

export function createProviderHealth(clock: Clock): ProviderHealth {
  const failing = new Map<string, { count: number; lastAt: number }>();
  return {
    isAvailable: id => {
      const seen = failing.get(id);
      return !seen || seen.count < MAX_FAILURES || clock.now() - seen.lastAt >= PAUSE_SECONDS;
    },
    note: (id, hasAnswered) => {
      if (hasAnswered) failing.delete(id);
      else failing.set(id, { count: (failing.get(id)?.count ?? 0) + 1, lastAt: clock.now() });
    },
  };
}
