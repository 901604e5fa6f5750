import type { RefusalFacts } from '../../audit/refusals/facts.rules.ts';
import { loginName } from '../../directory/users/login-name.rules.ts';
import type { Account } from '../../directory/users/store.ts';
import type { SharedAttempts } from '../../platform/throttle/all-nodes.ts';
import type { Throttle } from '../../platform/throttle/throttle.ts';
import type { Deps } from '../../services.ts';
import type { KnownBrowser } from '../known-browsers/known-browser.ts';
import { countLogin } from './login-attempt.ts';
import type { Passwords } from './passwords.ts';
import { renewHash } from './renew-hash.ts';

export interface AccountServices extends Pick<Deps, 'store' | 'metrics'> {
  readonly passwords: Passwords;
  readonly throttle: Throttle;
  /** Undefined: the processes of one machine use the store, and share their throttle. */
  readonly shared?: SharedAttempts | undefined;
  readonly ring: { hashOfLoginName(loginName: string): string };
}

export type PasswordOutcome =
  | { readonly kind: 'right'; readonly user: Account }
  /** Unknown user, wrong password and disabled user have the same outcome and take the same time. */
  | {
      readonly kind: 'wrong';
      readonly sub: KnownSub;
      /** The account has no attempts left, so the password counts as wrong. For the log only, as `sub`. */
      readonly isExhausted?: boolean | undefined;
      /** The password is right, and the user is disabled because of a deletion that the user can still undo: only the login page asks. */
      readonly leaving?: Account | undefined;
    }
  | { readonly kind: 'throttled'; readonly retryAfter: number; readonly sub: KnownSub }
  | { readonly kind: 'busy'; readonly retryAfter: number; readonly sub: KnownSub };

/** The user with this login name, if there is one. For the log only: the response must not reveal whether the user exists. */
type KnownSub = string | undefined;

/** For the explanation that operators get of a refusal. */
export function factsOf({ isExhausted }: { readonly isExhausted?: boolean | undefined }): { facts?: RefusalFacts } {
  return isExhausted ? { facts: { isAccountExhausted: true } } : {};
}

const BUSY_SECONDS = 2;

interface Typed {
  readonly username: string;
  readonly password: string;
  readonly address: string;
  /** Undefined also where no browser asks, as in the password grant. */
  readonly browser?: KnownBrowser | undefined;
}

/** Checks a user name and a password, for the login page and for the password grant. */
export async function authenticatePassword(services: AccountServices, typed: Typed): Promise<PasswordOutcome> {
  const outcome = await check(services, typed);
  services.metrics.logins.add(outcome.kind);
  return outcome;
}

/**
 * Hashes of other systems take another time than Gatehouse's own. So the password for an unknown name is compared with the hash of a
 * user that the name selects: unknown names take the different times as often as users do, and one name always takes the same time.
 */
async function check(services: AccountServices, typed: Typed): Promise<PasswordOutcome> {
  const { store, passwords, ring } = services;
  const name = loginName(typed.username);
  const counter = countLogin(services, { name, address: typed.address, browser: typed.browser });
  const wait = await counter.begin();
  if (wait > 0) return { kind: 'throttled', retryAfter: wait, sub: undefined };
  const busy = async (sub: KnownSub): Promise<PasswordOutcome> => {
    await counter.withdrawn();
    return { kind: 'busy', retryAfter: BUSY_SECONDS, sub };
  };
  const wrong = async (sub: KnownSub, isExhausted?: true): Promise<PasswordOutcome> => {
    const wait = await counter.failed();
    return wait > 0 ? { kind: 'throttled', retryAfter: wait, sub } : { kind: 'wrong', sub, isExhausted };
  };
  try {
    const [found, standIn, counts] = await Promise.all([
      name === undefined ? undefined : store.findAccount(name),
      store.passwordHashFrom(ring.hashOfLoginName(name ?? '')),
      counter.read(),
    ]);
    const { wait, isExhausted } = await counter.admit(found, counts);
    if (wait > 0) return { kind: 'throttled', retryAfter: wait, sub: found?.sub };
    const verdict = await passwords.verify(typed.password, found?.passwordHash, found ? undefined : standIn);
    if (verdict === 'busy') return await busy(found?.sub);
    // Compared all the same, for the time that it takes.
    if (isExhausted) return await wrong(found?.sub, isExhausted);
    if (verdict === 'wrong' || !found) return await wrong(found?.sub);
    if (found.disabled && found.deletionDue === undefined) return await wrong(found.sub);
    if (found.disabled) {
      await counter.succeeded();
      return { kind: 'wrong', sub: found.sub, leaving: found };
    }
    const user = await renewHash({ store, passwords }, found, typed.password);
    if (user === 'wrong') return await wrong(found.sub);
    if (user === 'busy') return await busy(found.sub);
    await counter.succeeded();
    return { kind: 'right', user };
  } catch (fault) {
    await counter.withdrawn();
    throw fault;
  }
}
