import type { Deps } from '../deps.ts';
import { loginName } from '../protocol/login-name.ts';
import type { Account } from '../store/users.ts';
import type { Passwords } from './passwords.ts';

/**
 * A hash that came from another system becomes one of ours at the first right password: from then on this login costs what
 * all cost, and takes as long as one of an unknown user. `wrong`: the password was changed at the same moment.
 */
export async function renewHash(
  { store, passwords }: Pick<Deps, 'store'> & { readonly passwords: Passwords },
  account: Account,
  password: string,
  receivedAt: number | undefined,
): Promise<Account | 'wrong' | 'busy'> {
  const { sub, passwordHash: former } = account;
  if (former === undefined || passwords.isOwnHash(former)) return account;
  const passwordHash = await passwords.hashInTurn(password);
  if (await store.replacePasswordHash(sub, former, passwordHash, receivedAt)) return { ...account, passwordHash };
  // Perhaps by another login of the same user: then the password is right for what is stored now.
  const present = await store.findAccount(loginName(account.username) ?? '', receivedAt);
  const verdict = await passwords.verify(password, present?.passwordHash);
  return verdict === 'right' && present ? present : verdict === 'busy' ? 'busy' : 'wrong';
}
