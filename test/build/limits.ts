import type { ThrottleLimits } from '../../src/throttle.ts';

const PLENTY = { attempts: 1_000_000, refillSeconds: 1 };

/** The test sets the limits it is about; the others are never reached. */
export function limits(over: Partial<ThrottleLimits>): ThrottleLimits {
  return { login: PLENTY, account: PLENTY, loginAddress: PLENTY, client: PLENTY, clientAddress: PLENTY, ...over };
}
