import { isDeepStrictEqual } from 'node:util';
import type { ProviderSettings } from '../../directory/providers/rules.ts';
import { hasVerifiedEmail } from '../../directory/users/claims.rules.ts';
import type { Account } from '../../directory/users/store.ts';
import { changeProfile, type ProfileChanges } from '../profile/rules.ts';
import type { Visit } from '../sign-in/visit.ts';
import type { Person } from './account.ts';

/** The profile follows the provider, where the operator wants it to. Writes only what is different. */
export async function updateProfileOf(
  { services }: Pick<Visit, 'services'>,
  { update_profile }: Pick<ProviderSettings, 'update_profile'>,
  account: Account,
  person: Person,
): Promise<Account> {
  if (update_profile !== 'always') return account;
  const { store, clock } = services;
  for (const changes of [{ ...person.changes, ...emailOf(account, person) }, person.changes]) {
    const after = { ...account, ...changeProfile(account, changes) };
    if (isDeepStrictEqual(after, account)) return account;
    const outcome = await store.updateProfile(account.sub, changes, clock.now());
    if (outcome.kind === 'done') return after;
    // The address belongs to another account, so it stays as it is here.
    if (outcome.kind === 'unknown') return account;
  }
  return account;
}

/**
 * Whoever reads the mails of an account can set its password. So an address that nobody vouches for does not replace one that the person
 * has proved here.
 */
function emailOf(account: Account, { email, hasVerifiedEmail: isVerified, isEmailClaimed }: Person): ProfileChanges {
  if (email === undefined || (!isVerified && hasVerifiedEmail(account))) return {};
  return isVerified ? { email, emailVerified: true } : { email, isEmailClaimed };
}
