import type { AccountAttempt, BrowserAttempt, LoginAttempt } from '../attempts.ts';
import { callerNetwork } from '../network-address.ts';
import type { AttemptKeys } from '../store/failed-attempts.ts';
import type { Account } from '../store/users.ts';
import type { Throttle } from '../throttle.ts';
import type { KnownBrowser } from './known-browser.ts';
import {
  type AttemptCounts,
  type SharedAttempt,
  type SharedAttempts,
  type SharedBucket,
  UNCOUNTED,
} from './shared-attempts.ts';

/** Where the attempts of one login are counted: in this process, and in the store where nodes share one. */
export interface LoginCounter {
  /** Before any lookup. Returns the seconds to wait. A browser that may be known is counted later, by its user. */
  begin(): Promise<number>;
  /** What other nodes have counted; it is read together with the account. */
  read(receivedAt: number | undefined): Promise<AttemptCounts | undefined>;
  /** When the account was looked up, before its password is compared. Returns the seconds to wait. */
  admit(account: Account | undefined, counts: AttemptCounts | undefined, receivedAt?: number): Promise<number>;
  succeeded(): Promise<void>;
  /** Seconds to wait: see SharedAttempt. */
  failed(): Promise<number>;
  withdrawn(): Promise<void>;
}

interface Counting {
  readonly throttle: Throttle;
  readonly shared?: SharedAttempts | undefined;
  readonly ring: { standInPoint(loginName: string): string };
}

interface Caller {
  /** Normalised; undefined: no user can have it. */
  readonly name: string | undefined;
  readonly address: string;
  readonly browser: KnownBrowser | undefined;
}

/**
 * An attempt is counted by the login name and the address, before any lookup, and by the account that has the name, alone and together
 * with the caller's network. Otherwise user name, e-mail and telephone number of one account would allow three times the guesses. A name
 * without an account is counted in the same way, so that it is throttled like any other, and in the same time.
 *
 * A browser in which the user of the account has signed in before is counted by itself alone.
 */
export function countLogin({ throttle, shared, ring }: Counting, { name, address, browser }: Caller): LoginCounter {
  const login: LoginAttempt = { kind: 'login', name: name ?? '', address };
  const network = callerNetwork(address);
  /** Stands for the `sub` of a name without an account. People type passwords into that field, so the store gets an HMAC. */
  const nobody = `? ${ring.standInPoint(name ?? '')}`;
  const counted: (LoginAttempt | AccountAttempt | BrowserAttempt)[] = [];
  let common: SharedAttempt = UNCOUNTED;

  const admitHere = async (attempts: readonly (LoginAttempt | AccountAttempt | BrowserAttempt)[]) => {
    for (const attempt of attempts) {
      const { wait } = await throttle.admit(attempt);
      if (wait > 0) return wait;
      counted.push(attempt);
    }
    return 0;
  };
  const withdraw = async () => {
    for (const attempt of counted.splice(0)) throttle.withdrawn(attempt);
    await common.withdrawn();
  };
  const refusedAfter = async (wait: number) => {
    await withdraw();
    return wait;
  };

  return {
    begin: async () => (browser ? 0 : admitHere([login])),
    read: async receivedAt => shared?.read(keysOf({ name, network, browser, nobody }), receivedAt),
    async admit(account, counts, receivedAt) {
      const isKnown = account !== undefined && browser?.users.includes(account.sub) === true;
      const ofAccount: AccountAttempt = {
        kind: 'account',
        account: account ? `sub ${account.sub}` : `name ${name ?? ''}`,
        network,
      };
      const attempts = isKnown
        ? [{ kind: 'browser', account: account.sub, browser: browser.id } as const]
        : [...(browser ? [login] : []), ofAccount];
      const wait = await admitHere(attempts);
      if (wait > 0) return refusedAfter(wait);
      if (!shared) return 0;
      const { limits } = shared;
      const holder = account?.sub ?? nobody;
      const buckets: SharedBucket[] = isKnown
        ? [{ key: `${holder} in ${browser.id}`, ...limits.browser }]
        : [
            { key: `${holder} account`, ...limits.account },
            { key: `${holder} from ${network}`, ...limits.pair },
            { key: `address ${network}`, ...limits.loginAddress, isCommon: true },
          ];
      const admission = await shared.admit(buckets, counts, receivedAt);
      if (admission.kind === 'refused') return refusedAfter(admission.wait);
      common = admission.attempt;
      return 0;
    },
    async succeeded() {
      for (const attempt of counted) throttle.succeeded(attempt);
      await common.succeeded();
    },
    failed: () => common.failed(),
    withdrawn: withdraw,
  };
}

function keysOf({ name, network, browser, nobody }: Omit<Caller, 'address'> & { network: string; nobody: string }) {
  const ofUser = [' account', ` from ${network}`, ...(browser ? [` in ${browser.id}`] : [])];
  const others = [`${nobody} account`, `${nobody} from ${network}`, `address ${network}`];
  return { loginName: name, ofUser, others } satisfies AttemptKeys;
}
