import { hasVerifiedEmail, type Profile } from '../../directory/users/claims.rules.ts';
import { loginName } from '../../directory/users/login-name.rules.ts';
import type { Deps } from '../../services.ts';

/**
 * Whether a user name is kept for a user whom an application admits by it (`access.users`). Whoever takes it could enter there, so
 * operators give it, and nobody takes it: not after its owner was renamed or deleted, and not before there is one.
 */
export async function isReservedName({ store }: Pick<Deps, 'store'>, username: string): Promise<boolean> {
  const name = loginName(username);
  return name !== undefined && store.isNamedInAccess(name);
}

/** Names that a user has already: the present one, and an address whose mailbox the user has proved. */
export function isOwnName(username: string, user: Profile): boolean {
  const own = [user.username, ...(hasVerifiedEmail(user) ? [user.email ?? ''] : [])];
  return own.some(each => loginName(each) === loginName(username));
}
