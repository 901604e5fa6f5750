import { BoundedCache } from '../bounded-cache.ts';
import type { Clock } from '../deps.ts';
import { callerNetwork } from '../http/network-address.ts';
import type { Attempt, ClientAttempt } from './attempts.ts';
import { type BucketLimits, TokenBuckets } from './token-buckets.ts';

/**
 * Limits the rate of guesses at passwords and client secrets. An attempt is counted before the secret is compared, so that parallel
 * guesses are all counted; a success gives it back. Unknown login names and client_ids are counted like existing ones, so that a
 * 429 does not reveal which exist.
 */
export interface Throttle {
  admit(attempt: Attempt): Admission | Promise<Admission>;
  /** The secret was right: this attempt and the failures before it are no longer counted. */
  succeeded(attempt: Attempt): void;
  /** The secret was not compared, for example because the store failed: the attempt is given back. */
  withdrawn(attempt: Attempt): void;
}

export interface Admission {
  /** Seconds to wait; 0: the attempt is admitted and counted. */
  readonly wait: number;
  /**
   * The same secret of this client was right from this address before. The caller admits it even if no attempts are left:
   * otherwise an attacker in the same network could lock the client out.
   */
  readonly known: boolean;
}

/** Counts in this process. With several workers, the primary counts for all of them (assembly/workers.ts). */
export interface LocalThrottle extends Throttle {
  admit(attempt: Attempt): Admission;
}

export interface ThrottleLimits {
  readonly login: BucketLimits;
  readonly account: BucketLimits;
  /** An account and a network. */
  readonly pair: BucketLimits;
  /** An account and a browser that it is known in. */
  readonly browser: BucketLimits;
  /** The codes of an account in all browsers that have a count of their own, and those in all others. */
  readonly dailyCodes: BucketLimits;
  readonly loginAddress: BucketLimits;
  readonly client: BucketLimits;
  readonly clientAddress: BucketLimits;
  readonly operatorAddress: BucketLimits;
  readonly mailAddress: BucketLimits;
  readonly mailAccount: BucketLimits;
  readonly nameAccount: BucketLimits;
  readonly pushAddress: BucketLimits;
  readonly proofAddress: BucketLimits;
  readonly deviceAddress: BucketLimits;
  readonly userCodeAddress: BucketLimits;
  readonly userCodeAccount: BucketLimits;
  /** Of all visitors together. */
  readonly userCode: BucketLimits;
  /** Of a client. */
  readonly loginHint: BucketLimits;
  /** Of a person, by all clients together. */
  readonly approvalCode: BucketLimits;
  readonly documentAddress: BucketLimits;
  readonly registrationAddress: BucketLimits;
}

/**
 * A network regains attempts at an account half as fast as the account does. So one network alone cannot keep using up what the
 * account regains, and the user gets in from elsewhere.
 *
 * A client gets more attempts than a user, and gets them back sooner. Client secrets are long and mostly random, so guessing is
 * hopeless. But a client that was deployed with a wrong secret retries all the time, and must work again soon after the repair.
 */
export const LIMITS: ThrottleLimits = {
  login: { attempts: 10, refillSeconds: 30 },
  account: { attempts: 10, refillSeconds: 30 },
  pair: { attempts: 10, refillSeconds: 60 },
  browser: { attempts: 10, refillSeconds: 30 },
  // At most 88 in 24 hours, and 48 on each further day.
  dailyCodes: { attempts: 40, refillSeconds: 1800 },
  loginAddress: { attempts: 100, refillSeconds: 3 },
  client: { attempts: 30, refillSeconds: 5 },
  clientAddress: { attempts: 100, refillSeconds: 3 },
  operatorAddress: { attempts: 100, refillSeconds: 3 },
  mailAddress: { attempts: 20, refillSeconds: 30 },
  mailAccount: { attempts: 20, refillSeconds: 360 },
  nameAccount: { attempts: 20, refillSeconds: 360 },
  // One for each login: of all people behind one address.
  pushAddress: { attempts: 150, refillSeconds: 1 },
  proofAddress: { attempts: 150, refillSeconds: 1 },
  deviceAddress: { attempts: 60, refillSeconds: 5 },
  userCodeAddress: { attempts: 20, refillSeconds: 30 },
  userCodeAccount: { attempts: 10, refillSeconds: 60 },
  // With 1,000 devices waiting, one guess in 25 million is right.
  userCode: { attempts: 1000, refillSeconds: 1 },
  // Of its users a client learns by mistyped names alone.
  loginHint: { attempts: 60, refillSeconds: 30 },
  // At most 298 on the first day: a PIN of four digits is found in a month at the earliest.
  approvalCode: { attempts: 10, refillSeconds: 300 },
  // People behind one address use a few such clients, and each is fetched every few minutes at most.
  documentAddress: { attempts: 30, refillSeconds: 10 },
  // A program registers once for each installation.
  registrationAddress: { attempts: 20, refillSeconds: 60 },
};

const MAX_KNOWN_SECRETS = 50_000;

/** A bucket that an attempt takes from. */
interface Bucket {
  readonly buckets: TokenBuckets;
  readonly key: string;
  /** One that several accounts or browsers share gets only this attempt back: the success of one must not pay for guesses of others. */
  readonly afterSuccess: 'reset' | 'giveBack';
}

export function createThrottle(clock: Clock, limits: ThrottleLimits = LIMITS): LocalThrottle {
  const logins = new TokenBuckets(limits.login);
  const accounts = new TokenBuckets(limits.account);
  const pairs = new TokenBuckets(limits.pair);
  const namePairs = new TokenBuckets(limits.pair);
  const browsers = new TokenBuckets(limits.browser);
  const codes = new TokenBuckets(limits.account);
  const browserCodes = new TokenBuckets(limits.browser);
  const dailyCodes = new TokenBuckets(limits.dailyCodes);
  const loginAddresses = new TokenBuckets(limits.loginAddress);
  const clients = new TokenBuckets(limits.client);
  const clientAddresses = new TokenBuckets(limits.clientAddress);
  const operatorAddresses = new TokenBuckets(limits.operatorAddress);
  const mailAddresses = new TokenBuckets(limits.mailAddress);
  const mailAccounts = new TokenBuckets(limits.mailAccount);
  const nameAccounts = new TokenBuckets(limits.nameAccount);
  const pushAddresses = new TokenBuckets(limits.pushAddress);
  const proofAddresses = new TokenBuckets(limits.proofAddress);
  const deviceAddresses = new TokenBuckets(limits.deviceAddress);
  const userCodeAddresses = new TokenBuckets(limits.userCodeAddress);
  const userCodeAccounts = new TokenBuckets(limits.userCodeAccount);
  const userCodes = new TokenBuckets(limits.userCode);
  const loginHints = new TokenBuckets(limits.loginHint);
  const approvalCodes = new TokenBuckets(limits.approvalCode);
  const documentAddresses = new TokenBuckets(limits.documentAddress);
  const registrationAddresses = new TokenBuckets(limits.registrationAddress);
  const knownSecrets = new BoundedCache<string, true>(MAX_KNOWN_SECRETS);

  const bucketsOf = (attempt: Attempt): readonly Bucket[] => {
    switch (attempt.kind) {
      case 'login':
        // Together with the network here too, so that the wait which the answer names is the whole one.
        return [
          ofOne(logins, attempt.name),
          ofOne(namePairs, `${attempt.name}\0${callerNetwork(attempt.address)}`),
          ofAddress(loginAddresses, attempt.address),
        ];
      case 'account': {
        const { account, network } = attempt;
        const pair = network === undefined ? [] : [ofOne(pairs, `${account}\0${network}`)];
        return [ofOne(accounts, account), ...pair];
      }
      case 'browser':
        return [ofOne(browsers, `${attempt.account}\0${attempt.browser}`)];
      case 'code': {
        const { of, account, browser } = attempt;
        const ofDay = browser === undefined ? account : `${account}\0known`;
        const own = browser === undefined ? ofOne(codes, account) : ofOne(browserCodes, `${account}\0${browser}`);
        return [
          ...(of === 'email' ? [] : [own]),
          ...(of === 'passkey' ? [] : [{ buckets: dailyCodes, key: ofDay, afterSuccess: 'giveBack' } as const]),
        ];
      }
      case 'client':
        return [ofOne(clients, clientKey(attempt)), ofAddress(clientAddresses, attempt.address)];
      case 'operator':
        return [ofAddress(operatorAddresses, attempt.address)];
      case 'mail':
        return [ofAddress(mailAddresses, attempt.address)];
      case 'accountMail':
        return [ofOne(mailAccounts, attempt.account)];
      case 'name':
        return [ofOne(nameAccounts, attempt.account)];
      case 'push':
        return [ofAddress(pushAddresses, attempt.address)];
      case 'proof':
        return [ofAddress(proofAddresses, attempt.address)];
      case 'device':
        return [ofAddress(deviceAddresses, attempt.address)];
      case 'userCode':
        return [
          attempt.account === undefined
            ? { buckets: userCodes, key: '', afterSuccess: 'giveBack' }
            : { buckets: userCodeAccounts, key: attempt.account, afterSuccess: 'giveBack' },
          ofAddress(userCodeAddresses, attempt.address),
        ];
      case 'loginHint':
        return [{ buckets: loginHints, key: `${attempt.app}\0${attempt.clientId}`, afterSuccess: 'giveBack' }];
      case 'approvalCode':
        return [{ buckets: approvalCodes, key: attempt.account, afterSuccess: 'giveBack' }];
      case 'document':
        return [ofAddress(documentAddresses, attempt.address)];
      case 'registration':
        return [ofAddress(registrationAddresses, attempt.address)];
    }
  };

  return {
    admit(attempt) {
      const now = clock.now();
      const all = bucketsOf(attempt);
      const wait = Math.max(...all.map(({ buckets, key }) => buckets.waitFor(key, now)));
      if (wait === 0) for (const { buckets, key } of all) buckets.take(key, now);
      return { wait, known: attempt.kind === 'client' && knownSecrets.get(secretKey(attempt)) === true };
    },
    succeeded(attempt) {
      for (const { buckets, key, afterSuccess } of bucketsOf(attempt)) buckets[afterSuccess](key);
      if (attempt.kind === 'client') knownSecrets.set(secretKey(attempt), true);
    },
    withdrawn(attempt) {
      for (const { buckets, key } of bucketsOf(attempt)) buckets.giveBack(key);
    },
  };
}

function ofOne(buckets: TokenBuckets, key: string): Bucket {
  return { buckets, key, afterSuccess: 'reset' };
}

function ofAddress(buckets: TokenBuckets, address: string): Bucket {
  return { buckets, key: callerNetwork(address), afterSuccess: 'giveBack' };
}

/** Includes the address: guesses from other addresses do not use up the attempts of the client. */
function clientKey({ app, clientId, address }: ClientAttempt): string {
  return `${app}\0${clientId}\0${callerNetwork(address)}`;
}

function secretKey(attempt: ClientAttempt): string {
  return `${clientKey(attempt)}\0${attempt.secretDigest}`;
}
