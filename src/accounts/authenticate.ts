import type { Deps } from '../deps.ts';
import { loginName } from '../protocol/login-name.ts';
import type { Account } from '../store/users.ts';
import type { AccountAttempt, LoginAttempt, Throttle } from '../throttle.ts';
import type { Passwords } from './passwords.ts';
import { renewHash } from './renew-hash.ts';

export interface AccountServices extends Pick<Deps, 'store' | 'metrics'> {
  readonly passwords: Passwords;
  readonly throttle: Throttle;
  readonly ring: { standInPoint(loginName: string): string };
}

export type PasswordOutcome =
  | { readonly kind: 'right'; readonly user: Account }
  /** Unknown user, wrong password and disabled user have the same outcome and take the same time. */
  | {
      readonly kind: 'wrong';
      readonly sub: KnownSub;
      /** The password is right, and the user is disabled because of a deletion that the user can still undo: only the login page asks. */
      readonly leaving?: Account | undefined;
    }
  | { readonly kind: 'throttled'; readonly retryAfter: number; readonly sub: KnownSub }
  | { readonly kind: 'busy'; readonly retryAfter: number; readonly sub: KnownSub };

/** The user with this login name, if there is one. For the log only: the response must not reveal whether the user exists. */
type KnownSub = string | undefined;

const BUSY_SECONDS = 2;

interface Typed {
  readonly username: string;
  readonly password: string;
  readonly address: string;
}

/**
 * Checks a user name and a password, for the login page and for the password grant. `receivedAt`: see store/store.ts.
 *
 * The other files of this folder: passwords.ts computes and compares hashes, password-hash.ts recognises their formats,
 * renew-hash.ts replaces hashes of other systems, sessions.ts opens and ends browser sessions, registration.ts checks the users of
 * an apply file, new-passwords.ts judges a password that is set, by password-rules.ts and common-passwords.ts.
 */
export async function authenticatePassword(
  services: AccountServices,
  typed: Typed,
  receivedAt?: number,
): Promise<PasswordOutcome> {
  const outcome = await check(services, typed, receivedAt);
  services.metrics.logins.add(outcome.kind);
  return outcome;
}

/**
 * An attempt is counted twice: by the login name, before any lookup, and by the account that has the name. Otherwise user name,
 * e-mail and telephone number of one account would allow three times the guesses. A name without an account is also counted twice,
 * so that it is throttled like any other, and in the same time.
 *
 * Hashes of other systems take another time than Gatehouse's own. So the password for an unknown name is compared with the hash of a
 * user that the name selects: unknown names take the different times as often as users do, and one name always takes the same time.
 */
async function check(
  { store, passwords, throttle, ring }: AccountServices,
  typed: Typed,
  receivedAt: number | undefined,
): Promise<PasswordOutcome> {
  const name = loginName(typed.username);
  const login: LoginAttempt = { kind: 'login', name: name ?? '', address: typed.address };
  const { wait } = await throttle.admit(login);
  if (wait > 0) return { kind: 'throttled', retryAfter: wait, sub: undefined };
  const counted: (LoginAttempt | AccountAttempt)[] = [login];
  const withdraw = () => {
    for (const attempt of counted) throttle.withdrawn(attempt);
  };
  const busy = (sub: KnownSub): PasswordOutcome => {
    withdraw();
    return { kind: 'busy', retryAfter: BUSY_SECONDS, sub };
  };
  try {
    const [found, standIn] = await Promise.all([
      name === undefined ? undefined : store.findAccount(name, receivedAt),
      store.passwordHashFrom(ring.standInPoint(name ?? ''), receivedAt),
    ]);
    const account: AccountAttempt = { kind: 'account', account: found ? `sub ${found.sub}` : `name ${name ?? ''}` };
    const ofAccount = await throttle.admit(account);
    if (ofAccount.wait > 0) {
      withdraw();
      return { kind: 'throttled', retryAfter: ofAccount.wait, sub: found?.sub };
    }
    counted.push(account);
    const verdict = await passwords.verify(typed.password, found?.passwordHash, found ? undefined : standIn);
    if (verdict === 'busy') return busy(found?.sub);
    if (verdict === 'wrong' || !found) return { kind: 'wrong', sub: found?.sub };
    if (found.disabled) {
      if (found.deletionDue === undefined) return { kind: 'wrong', sub: found.sub };
      for (const attempt of counted) throttle.succeeded(attempt);
      return { kind: 'wrong', sub: found.sub, leaving: found };
    }
    const user = await renewHash({ store, passwords }, found, typed.password, receivedAt);
    if (user === 'wrong') return { kind: 'wrong', sub: found.sub };
    if (user === 'busy') return busy(found.sub);
    for (const attempt of counted) throttle.succeeded(attempt);
    return { kind: 'right', user };
  } catch (fault) {
    withdraw();
    throw fault;
  }
}
