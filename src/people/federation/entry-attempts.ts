import { callerNetwork } from '../../platform/http/network-address.ts';
import { withinRequest } from '../../platform/store/request-time.ts';
import { countTypedCode } from '../../platform/throttle/all-nodes.ts';
import type { Services } from '../../services.ts';
import type { KnownBrowser } from '../known-browsers/known-browser.ts';
import type { CountEntry } from './password-checker.ts';

type Counting = Pick<Services, 'throttle' | 'shared' | 'ring' | 'store'>;

interface Caller {
  readonly address: string;
  /** Undefined also where no browser asks, as in the password grant. */
  readonly browser: KnownBrowser | undefined;
}

/**
 * Guesses at an entry of a directory, alone and together with the network, as those at an account are (people/password/login-attempt.ts). The store gets
 * an HMAC of its name.
 *
 * A browser in which the user of the entry has signed in before is counted by itself alone: somebody else must not lock the user out. The
 * user is the one that is linked to the entry. The account with the name that was typed may be anybody's.
 */
export function countsEntries(services: Counting, provider: string, { address, browser }: Caller): CountEntry {
  const network = callerNetwork(address);
  const count: CountEntry = async (entry, subject) => {
    const account = `entry ${services.ring.hashOfLoginName(`${provider} ${entry}`)}`;
    if (browser && (await isKnown(services, browser, provider, subject))) {
      const { id } = browser;
      return countTypedCode(services, { kind: 'browser', account, browser: id }, limits => [
        { key: `${account} in ${id}`, ...limits.browser },
      ]);
    }
    return countTypedCode(services, { kind: 'account', account, network }, limits => [
      { key: `${account} account`, ...limits.account },
      { key: `${account} from ${network}`, ...limits.pair },
    ]);
  };
  // The time of the directory, which has found the entry, is not that of the database.
  return (entry, subject) => withinRequest(performance.now(), () => count(entry, subject));
}

async function isKnown(
  { store }: Counting,
  { users }: KnownBrowser,
  provider: string,
  subject: string | undefined,
): Promise<boolean> {
  const linked = subject === undefined ? undefined : await store.findLinkedAccount({ provider, subject });
  return linked !== undefined && users.includes(linked.sub);
}

/** Of a password that was right a moment ago. */
export const UNCOUNTED_ENTRY: CountEntry = async () => ({ kind: 'admitted', succeeded: async () => {} });
