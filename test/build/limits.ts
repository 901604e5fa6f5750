import type { Limits } from '../../src/throttle.ts';

const PLENTY = { attempts: 1_000_000, refill: 1 };

/** Only what a test names is limited. */
export function limits(over: Partial<Limits>): Limits {
  return { login: PLENTY, account: PLENTY, loginAddress: PLENTY, client: PLENTY, clientAddress: PLENTY, ...over };
}
