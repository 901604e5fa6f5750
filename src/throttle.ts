import { BoundedCache } from './bounded-cache.ts';
import type { Clock } from './deps.ts';
import { callerNetwork } from './network-address.ts';
import { type Bucket, TokenBuckets } from './token-buckets.ts';

/**
 * Slows down guessing of passwords and of client secrets. An attempt is counted before the secret is compared, so that a
 * thousand parallel guesses count as a thousand; a success gives it back. Names and client_ids that do not exist are counted
 * like those that do: being throttled tells nothing.
 */
export interface Throttle {
  admit(attempt: Attempt): Admission | Promise<Admission>;
  /** The secret was right: this attempt, and the failures before it, count no longer. */
  succeeded(attempt: Attempt): void;
  /** The attempt was not decided: give it back. */
  withdrawn(attempt: Attempt): void;
}

export type Attempt = LoginAttempt | AccountAttempt | ClientAttempt;

/** A password for a login name, before it is known whether anybody has that name. */
export interface LoginAttempt {
  readonly kind: 'login';
  readonly name: string;
  readonly address: string;
}

/** The same password for the account behind the name: a person has several names, and all of them share one count. */
export interface AccountAttempt {
  readonly kind: 'account';
  readonly account: string;
}

export interface ClientAttempt {
  readonly kind: 'client';
  readonly app: string;
  readonly clientId: string;
  readonly address: string;
  /** A digest of the secret that is presented. */
  readonly secretDigest: string;
}

export interface Admission {
  /** Seconds to wait; 0: the attempt may go on, and is counted. */
  readonly wait: number;
  /**
   * This very secret of this client was right from this address before. It is served also while the attempts are used up, or
   * whoever guesses from the same network could lock the client out.
   */
  readonly known: boolean;
}

/** Counts in this process. Where several serve one port, the primary counts for all (cli/workers.ts). */
export interface LocalThrottle extends Throttle {
  admit(attempt: Attempt): Admission;
}

export interface Limits {
  readonly login: Bucket;
  readonly account: Bucket;
  readonly loginAddress: Bucket;
  readonly client: Bucket;
  readonly clientAddress: Bucket;
}

/**
 * Secrets of clients are long and mostly random, and a client that was deployed with the wrong one tries again and again:
 * it gets more attempts than a person, and they come back sooner, so that the right one is served soon after it is there.
 */
const LIMITS: Limits = {
  login: { attempts: 10, refill: 30 },
  account: { attempts: 10, refill: 30 },
  loginAddress: { attempts: 100, refill: 3 },
  client: { attempts: 30, refill: 5 },
  clientAddress: { attempts: 100, refill: 3 },
};

const MAX_KNOWN_SECRETS = 50_000;

/** What an attempt counts against: first what is guessed at, then where the guess comes from. */
type Count = readonly [buckets: TokenBuckets, key: string];

export function createThrottle(clock: Clock, limits: Limits = LIMITS): LocalThrottle {
  const logins = new TokenBuckets(limits.login);
  const accounts = new TokenBuckets(limits.account);
  const loginAddresses = new TokenBuckets(limits.loginAddress);
  const clients = new TokenBuckets(limits.client);
  const clientAddresses = new TokenBuckets(limits.clientAddress);
  const knownSecrets = new BoundedCache<string, true>(MAX_KNOWN_SECRETS);

  const countsOf = (attempt: Attempt): readonly [Count, ...Count[]] => {
    switch (attempt.kind) {
      case 'login':
        return [
          [logins, attempt.name],
          [loginAddresses, callerNetwork(attempt.address)],
        ];
      case 'account':
        return [[accounts, attempt.account]];
      case 'client':
        return [
          [clients, clientKey(attempt)],
          [clientAddresses, callerNetwork(attempt.address)],
        ];
    }
  };

  return {
    admit(attempt) {
      const now = clock.now();
      const counts = countsOf(attempt);
      const wait = Math.max(...counts.map(([buckets, key]) => buckets.waitFor(key, now)));
      if (wait === 0) for (const [buckets, key] of counts) buckets.take(key, now);
      return { wait, known: attempt.kind === 'client' && knownSecrets.get(secretKey(attempt)) === true };
    },
    succeeded(attempt) {
      const [[buckets, key], ...others] = countsOf(attempt);
      buckets.reset(key);
      for (const [other, otherKey] of others) other.giveBack(otherKey);
      if (attempt.kind === 'client') knownSecrets.set(secretKey(attempt), true);
    },
    withdrawn(attempt) {
      for (const [buckets, key] of countsOf(attempt)) buckets.giveBack(key);
    },
  };
}

/** Per address: what others guess from elsewhere costs the client nothing. */
function clientKey({ app, clientId, address }: ClientAttempt): string {
  return `${app}\0${clientId}\0${callerNetwork(address)}`;
}

function secretKey(attempt: ClientAttempt): string {
  return `${clientKey(attempt)}\0${attempt.secretDigest}`;
}
