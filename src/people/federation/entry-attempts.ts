import { callerNetwork } from '../../platform/http/network-address.ts';
import { countTypedCode } from '../../platform/throttle/all-nodes.ts';
import type { Services } from '../../services.ts';
import type { CountEntry } from './password-checker.ts';

type Counting = Pick<Services, 'throttle' | 'shared' | 'ring'>;

/**
 * Guesses at an entry of a directory, alone and together with the network, as those at an account are (people/password/login-attempt.ts). The store gets
 * an HMAC of its name.
 */
export function countsEntries({ throttle, shared, ring }: Counting, provider: string, address: string): CountEntry {
  const network = callerNetwork(address);
  return entry => {
    const account = `entry ${ring.hashOfLoginName(`${provider} ${entry}`)}`;
    return countTypedCode({ throttle, shared }, { kind: 'account', account, network }, limits => [
      { key: `${account} account`, ...limits.account },
      { key: `${account} from ${network}`, ...limits.pair },
    ]);
  };
}

/** A browser in which the user has signed in before is counted by itself alone: somebody else must not lock the user out. */
export const UNCOUNTED_ENTRY: CountEntry = async () => ({ kind: 'admitted', succeeded: async () => {} });
