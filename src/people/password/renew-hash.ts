import { loginName } from '../../directory/users/login-name.rules.ts';
import type { Account } from '../../directory/users/store.ts';
import type { Deps } from '../../services.ts';
import type { Passwords } from './passwords.ts';

/**
 * Replaces the hash of another system by Gatehouse's own at the first login with the right password. From then on the login takes
 * as long as all others. `wrong`: the password was changed at the same moment.
 */
export async function renewHash(
  { store, passwords }: Pick<Deps, 'store'> & { readonly passwords: Passwords },
  account: Account,
  password: string,
): Promise<Account | 'wrong' | 'busy'> {
  const { sub, passwordHash: former } = account;
  if (former === undefined || passwords.isOwnHash(former)) return account;
  const passwordHash = await passwords.hashInTurn(password);
  if (await store.replacePasswordHash(sub, former, passwordHash)) return { ...account, passwordHash };
  // Another login of the same user may have replaced the hash. The password is then right for the stored one.
  const present = await store.findAccount(loginName(account.username) ?? '');
  const verdict = await passwords.verify(password, present?.passwordHash);
  return verdict === 'right' && present ? present : verdict === 'busy' ? 'busy' : 'wrong';
}
