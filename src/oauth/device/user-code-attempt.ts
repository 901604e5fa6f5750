import { callerNetwork } from '../../platform/http/network-address.ts';
import {
  type CountedCode,
  type Counting,
  countTypedCode,
  type SharedBucket,
} from '../../platform/throttle/all-nodes.ts';
import type { UserCodeAttempt } from '../../platform/throttle/attempts.ts';
import type { ThrottleLimits } from '../../platform/throttle/throttle.ts';

/**
 * Counts a user code of a device (RFC 8628 section 5.1) before it is looked up. `account`: the `sub` of a user who is signed in
 * (`UserCodeAttempt`).
 */
export function countUserCode(services: Counting, address: string, account: string | undefined): Promise<CountedCode> {
  return countTypedCode(services, { kind: 'userCode', address, account }, bucketsOf);
}

/** Each gets one attempt back after a success, as an address does: a right code of one's own device must not pay for guesses at others. */
function bucketsOf(limits: ThrottleLimits, { address, account }: UserCodeAttempt): SharedBucket[] {
  const ofAddress = { key: `device codes from ${callerNetwork(address)}`, ...limits.userCodeAddress, isCommon: true };
  const other: SharedBucket =
    account === undefined
      ? { key: 'device codes', ...limits.userCode, isCommon: true }
      : { key: `${account} device codes`, ...limits.userCodeAccount, isCommon: true };
  return [ofAddress, other];
}
