import type { Deps } from '../deps.ts';
import type { Account } from '../store/store.ts';
import { loginName } from './login-name.ts';
import type { Passwords } from './passwords.ts';
import { renewHash } from './renew-hash.ts';
import type { Throttle } from './throttle.ts';

export interface AccountServices extends Pick<Deps, 'store' | 'metrics'> {
  readonly passwords: Passwords;
  readonly throttle: Throttle;
}

export type PasswordOutcome =
  | { readonly kind: 'right'; readonly user: Account }
  /** Unknown user, wrong password and disabled user are one outcome, reached in one and the same time. */
  | { readonly kind: 'wrong' }
  | { readonly kind: 'throttled'; readonly retryAfter: number }
  | { readonly kind: 'busy'; readonly retryAfter: number };

const BUSY_SECONDS = 2;

interface Typed {
  readonly username: string;
  readonly password: string;
  readonly address: string;
}

/** Who is this? Asked by the login page and by the password grant alike. */
export async function authenticatePassword(services: AccountServices, typed: Typed): Promise<PasswordOutcome> {
  const outcome = await check(services, typed);
  services.metrics.logins.add(outcome.kind);
  return outcome;
}

async function check({ store, passwords, throttle }: AccountServices, typed: Typed): Promise<PasswordOutcome> {
  const name = loginName(typed.username);
  const account = name ?? '';
  const retryAfter = await throttle.admit(account, typed.address);
  if (retryAfter !== undefined) return { kind: 'throttled', retryAfter };
  try {
    const found = name === undefined ? undefined : await store.findAccount(name);
    const verdict = await passwords.verify(typed.password, found?.passwordHash);
    if (verdict === 'busy') {
      throttle.withdrawn(account, typed.address);
      return { kind: 'busy', retryAfter: BUSY_SECONDS };
    }
    if (verdict === 'wrong' || !found || found.disabled) return { kind: 'wrong' };
    const user = await renewHash({ store, passwords }, found, typed.password);
    if (!user) return { kind: 'wrong' };
    throttle.succeeded(account, typed.address);
    return { kind: 'right', user };
  } catch (fault) {
    throttle.withdrawn(account, typed.address);
    throw fault;
  }
}
