import { callerNetwork } from '../../platform/http/network-address.ts';
import { type SharedAttempts, type SharedBucket, UNCOUNTED } from '../../platform/throttle/all-nodes.ts';
import type { UserCodeAttempt } from '../../platform/throttle/attempts.ts';
import type { Throttle } from '../../platform/throttle/throttle.ts';

interface Counting {
  readonly throttle: Throttle;
  readonly shared?: SharedAttempts | undefined;
}

export type CountedUserCode =
  | { readonly kind: 'refused'; readonly wait: number }
  | { readonly kind: 'admitted'; succeeded(): Promise<void> };

/**
 * Counts a user code of a device (RFC 8628 section 5.1), in this process and for all nodes, before it is looked up. `account`: the
 * `sub` of a user who is signed in (platform/throttle/throttle.ts, `UserCodeAttempt`). A right code gives its attempt back.
 */
export async function countUserCode(
  { throttle, shared }: Counting,
  address: string,
  account: string | undefined,
): Promise<CountedUserCode> {
  const attempt: UserCodeAttempt = { kind: 'userCode', address, account };
  const { wait } = await throttle.admit(attempt);
  if (wait > 0) return { kind: 'refused', wait };
  const common = shared && (await shared.admit(bucketsOf(shared, attempt), undefined));
  if (common?.kind === 'refused') {
    throttle.withdrawn(attempt);
    return common;
  }
  const { succeeded } = common?.attempt ?? UNCOUNTED;
  return {
    kind: 'admitted',
    async succeeded() {
      throttle.succeeded(attempt);
      await succeeded();
    },
  };
}

/** Each gets one attempt back after a success, as an address does: a right code of one's own device must not pay for guesses at others. */
function bucketsOf({ limits }: SharedAttempts, { address, account }: UserCodeAttempt): SharedBucket[] {
  const ofAddress = { key: `device codes from ${callerNetwork(address)}`, ...limits.userCodeAddress, isCommon: true };
  const other: SharedBucket =
    account === undefined
      ? { key: 'device codes', ...limits.userCode, isCommon: true }
      : { key: `${account} device codes`, ...limits.userCodeAccount, isCommon: true };
  return [ofAddress, other];
}
