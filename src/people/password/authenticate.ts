import type { RefusalFacts } from '../../audit/refusals/facts.rules.ts';
import { loginName } from '../../directory/users/login-name.rules.ts';
import type { Account } from '../../directory/users/store.ts';
import { withinRequest } from '../../platform/store/request-time.ts';
import type { SharedAttempts } from '../../platform/throttle/all-nodes.ts';
import type { Throttle } from '../../platform/throttle/throttle.ts';
import type { Deps } from '../../services.ts';
import type { ConnectedProvider, Identity, ProviderFault } from '../federation/connector.ts';
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
      /** What a provider said that was asked too (`Elsewhere`). */
      readonly elsewhere?: FaultElsewhere | undefined;
      /** The password is right, and the user is disabled because of a deletion that the user can still undo: only the login page asks. */
      readonly leaving?: Account | undefined;
    }
  | { readonly kind: 'throttled'; readonly retryAfter: number; readonly sub: KnownSub }
  | { readonly kind: 'busy'; readonly retryAfter: number; readonly sub: KnownSub };

/** A person whose password is right at a provider. Which account that is, src/people/federation/resolve.ts decides. */
export interface PersonElsewhere {
  readonly kind: 'elsewhere';
  readonly provider: ConnectedProvider;
  readonly identity: Identity;
  /** The password becomes one of the account here. */
  readonly takesOver: boolean;
}

export interface FaultElsewhere {
  readonly id: string;
  /** `wrong`: the password is another there, or the person may not sign in. The others: it could not be asked. */
  readonly kind: 'wrong' | ProviderFault['kind'];
  readonly reason: string;
}

/** Providers that know passwords, of which no account here is. */
export interface Elsewhere {
  /** False: passwords of accounts here are not taken. */
  readonly takesLocal: boolean;
  /** Without a password nobody is let in, and it takes as long. `account`: the one here that has the name. */
  check(
    password: string | undefined,
    account: Account | undefined,
    browser: KnownBrowser | undefined,
  ): Promise<PersonElsewhere | FaultElsewhere | undefined>;
}

/** The user with this login name, if there is one. For the log only: the response must not reveal whether the user exists. */
type KnownSub = string | undefined;

/** For the explanation that operators get of a refusal. */
export function factsOf({
  isExhausted,
  elsewhere,
}: {
  readonly isExhausted?: boolean | undefined;
  readonly elsewhere?: FaultElsewhere | undefined;
}): { facts?: RefusalFacts } {
  if (isExhausted) return { facts: { isAccountExhausted: true } };
  return elsewhere ? { facts: { provider: { id: elsewhere.id, reason: elsewhere.reason } } } : {};
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
export function authenticatePassword(services: AccountServices, typed: Typed): Promise<PasswordOutcome>;
export function authenticatePassword(
  services: AccountServices,
  typed: Typed,
  elsewhere: Elsewhere | undefined,
): Promise<PasswordOutcome | PersonElsewhere>;
export async function authenticatePassword(services: AccountServices, typed: Typed, elsewhere?: Elsewhere) {
  const outcome = await check(services, typed, elsewhere);
  services.metrics.logins.add(outcome.kind === 'elsewhere' ? 'right' : outcome.kind);
  return outcome;
}

/**
 * Hashes of other systems take another time than Gatehouse's own. So the password for an unknown name is compared with the hash of a
 * user that the name selects: unknown names take the different times as often as users do, and one name always takes the same time.
 *
 * Whoever is not let in by a password of this server is looked for elsewhere, whether or not there is an account with the name.
 */
async function check(
  services: AccountServices,
  typed: Typed,
  elsewhere: Elsewhere | undefined,
): Promise<PasswordOutcome | PersonElsewhere> {
  const { store, passwords, ring } = services;
  const name = loginName(typed.username);
  const counter = countLogin(services, { name, address: typed.address, browser: typed.browser });
  const wait = await counter.begin();
  if (wait > 0) return { kind: 'throttled', retryAfter: wait, sub: undefined };
  const busy = async (sub: KnownSub): Promise<PasswordOutcome> => {
    await counter.withdrawn();
    return { kind: 'busy', retryAfter: BUSY_SECONDS, sub };
  };
  const refused = async (sub: KnownSub, isExhausted?: true, fault?: FaultElsewhere): Promise<PasswordOutcome> => {
    const wait = await counter.failed();
    const outcome = { kind: 'wrong', sub, isExhausted, ...(fault && { elsewhere: fault }) } as const;
    return wait > 0 ? { kind: 'throttled', retryAfter: wait, sub } : outcome;
  };
  const wrong = async (account: Account | undefined, isExhausted?: true) => {
    const sub = account?.sub;
    // What can be no name here is none elsewhere: some systems fail over it, and would be left alone for a while.
    if (!elsewhere || name === undefined) return refused(sub, isExhausted);
    const found = await elsewhere.check(isExhausted ? undefined : typed.password, account, typed.browser);
    // The time of the provider is not that of the database.
    return withinRequest(performance.now(), async () => {
      if (found?.kind !== 'elsewhere') return refused(sub, isExhausted, found);
      await counter.succeeded();
      return found;
    });
  };
  try {
    const [found, standIn, counts] = await Promise.all([
      name === undefined ? undefined : store.findAccount(name),
      store.passwordHashFrom(ring.hashOfLoginName(name ?? '')),
      counter.read(),
    ]);
    const { wait, isExhausted } = await counter.admit(found, counts);
    if (wait > 0) return { kind: 'throttled', retryAfter: wait, sub: found?.sub };
    const verdict =
      elsewhere?.takesLocal === false
        ? 'wrong'
        : await passwords.verify(typed.password, found?.passwordHash, found ? undefined : standIn);
    if (verdict === 'busy') return await busy(found?.sub);
    // Compared all the same, for the time that it takes.
    if (isExhausted) return await wrong(found, isExhausted);
    if (verdict === 'wrong' || !found) return await wrong(found);
    if (found.disabled && found.deletionDue === undefined) return await wrong(found);
    if (found.disabled) {
      await counter.succeeded();
      return { kind: 'wrong', sub: found.sub, leaving: found };
    }
    const user = await renewHash({ store, passwords }, found, typed.password);
    if (user === 'wrong') return await wrong(found);
    if (user === 'busy') return await busy(found.sub);
    await counter.succeeded();
    return { kind: 'right', user };
  } catch (fault) {
    await counter.withdrawn();
    throw fault;
  }
}
