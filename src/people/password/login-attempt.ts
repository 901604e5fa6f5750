import type { Account } from '../../directory/users/store.ts';
import { callerNetwork } from '../../platform/http/network-address.ts';
import {
  type AttemptCounts,
  type SharedAttempt,
  type SharedAttempts,
  type SharedBucket,
  UNCOUNTED,
} from '../../platform/throttle/all-nodes.ts';
import type { AccountAttempt, BrowserAttempt, LoginAttempt } from '../../platform/throttle/attempts.ts';
import type { AttemptKeys } from '../../platform/throttle/failed-attempts.ts';
import type { Throttle } from '../../platform/throttle/throttle.ts';
import type { KnownBrowser } from '../known-browsers/known-browser.ts';

/** Where the attempts of one login are counted: in this process, and in the store where nodes share one. */
export interface LoginCounter {
  /** Before any lookup. Returns the seconds to wait. A browser that may be known is counted later, by its user. */
  begin(): Promise<number>;
  /** What other nodes have counted; it is read together with the account. */
  read(): Promise<AttemptCounts | undefined>;
  /** When the account was looked up, before its password is compared. */
  admit(account: Account | undefined, counts: AttemptCounts | undefined): Promise<LoginAdmission>;
  succeeded(): Promise<void>;
  /** Seconds to wait: see SharedAttempt. */
  failed(): Promise<number>;
  withdrawn(): Promise<void>;
}

export interface LoginAdmission {
  /** Seconds; above 0, the attempt is refused. */
  readonly wait: number;
  /** The account has no attempts left. The password counts as wrong, and the answer takes as long as for a wrong one. */
  readonly isExhausted: boolean;
}

interface Counting {
  readonly throttle: Throttle;
  readonly shared?: SharedAttempts | undefined;
  readonly ring: { hashOfLoginName(loginName: string): string };
}

interface Caller {
  /** Normalised; undefined: no user can have it. */
  readonly name: string | undefined;
  readonly address: string;
  readonly browser: KnownBrowser | undefined;
}

type Counted = LoginAttempt | AccountAttempt | BrowserAttempt;

/**
 * An attempt is counted by the login name that was typed, by the network, and by both together: these are the limits that an answer
 * tells. It is also counted by the account that has the name, alone and together with the network. Otherwise user name, e-mail and
 * telephone number of one account would allow three times the guesses. That the account has no attempts left is not told: somebody who
 * fails ten times for a user name, and is then told to wait for an e-mail address, would know whose it is. A name without an account is
 * counted in the same way, so that it is answered like any other, and in the same time.
 *
 * A browser in which the user of the account has signed in before is counted by itself alone, by name and account as well.
 */
export function countLogin({ throttle, shared, ring }: Counting, { name, address, browser }: Caller): LoginCounter {
  const login: LoginAttempt = { kind: 'login', name: name ?? '', address };
  const network = callerNetwork(address);
  /** Stands for the name, and for the `sub` of one without an account. People type passwords into that field, so the store gets an HMAC. */
  const nobody = `? ${ring.hashOfLoginName(name ?? '')}`;
  const counted: Counted[] = [];
  let common: SharedAttempt = UNCOUNTED;

  const admitHere = async (attempt: Counted) => {
    const { wait } = await throttle.admit(attempt);
    if (wait === 0) counted.push(attempt);
    return wait;
  };
  const withdraw = async () => {
    for (const attempt of counted.splice(0)) throttle.withdrawn(attempt);
    await common.withdrawn();
  };
  const refusedAfter = async (wait: number): Promise<LoginAdmission> => {
    await withdraw();
    return { wait, isExhausted: false };
  };

  return {
    begin: async () => (browser ? 0 : admitHere(login)),
    read: async () => shared?.read(keysOf({ name, network, browser, nobody })),
    async admit(account, counts) {
      const holder = account ? `sub ${account.sub}` : `name ${name ?? ''}`;
      const known = account && browser?.users.includes(account.sub) ? browser.id : undefined;
      const told: Counted =
        known === undefined ? login : { kind: 'browser', account: `name ${name ?? ''}`, browser: known };
      const wait = browser ? await admitHere(told) : 0;
      if (wait > 0) return refusedAfter(wait);
      const hidden: Counted =
        known === undefined
          ? { kind: 'account', account: holder, network }
          : { kind: 'browser', account: holder, browser: known };
      const isExhausted = (await admitHere(hidden)) > 0;
      if (!shared) return { wait: 0, isExhausted };
      const buckets = bucketsOf(shared, { name: nobody, holder: account?.sub ?? nobody, network, known });
      const taken = isExhausted ? buckets.filter(bucket => !bucket.isHidden) : buckets;
      const admission = await shared.admit(taken, counts);
      if (admission.kind === 'refused') return refusedAfter(admission.wait);
      common = admission.attempt;
      return { wait: 0, isExhausted: isExhausted || admission.isExhausted };
    },
    async succeeded() {
      for (const attempt of counted) throttle.succeeded(attempt);
      await common.succeeded();
    },
    failed: () => common.failed(),
    withdrawn: withdraw,
  };
}

interface Holder {
  readonly name: string;
  readonly holder: string;
  readonly network: string;
  /** The browser, if the user of the account has signed in with it before. */
  readonly known: string | undefined;
}

/** The first one stands for the attempt (`startUnshared`): parallel attempts at one account are counted together. */
function bucketsOf({ limits }: SharedAttempts, { name, holder, network, known }: Holder): SharedBucket[] {
  if (known !== undefined) {
    return [
      { key: `${holder} in ${known}`, ...limits.browser, isHidden: true },
      { key: `${name} name in ${known}`, ...limits.browser },
    ];
  }
  return [
    { key: `${holder} account`, ...limits.account, isHidden: true },
    { key: `${holder} from ${network}`, ...limits.pair, isHidden: true },
    { key: `${name} name`, ...limits.login },
    { key: `${name} name from ${network}`, ...limits.pair },
    { key: `address ${network}`, ...limits.loginAddress, isCommon: true },
  ];
}

function keysOf({ name, network, browser, nobody }: Omit<Caller, 'address'> & { network: string; nobody: string }) {
  const ofUser = [' account', ` from ${network}`, ...(browser ? [` in ${browser.id}`] : [])];
  const ofName = [' account', ` from ${network}`, ' name', ` name from ${network}`];
  const inBrowser = browser ? [` name in ${browser.id}`] : [];
  const others = [...[...ofName, ...inBrowser].map(end => `${nobody}${end}`), `address ${network}`];
  return { loginName: name, ofUser, others } satisfies AttemptKeys;
}
