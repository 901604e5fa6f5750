import { z } from 'zod';
import { isoTime, timeField } from '../../operators/api/times.ts';
import { standardClaims } from './standard-claims.rules.ts';
import type { Account, User } from './store.ts';

/** A user, as operators see it. */
export const userView = z.looseObject({
  sub: z.string(),
  username: z.string(),
  email_verified: z.boolean(),
  phone_number_verified: z.boolean(),
  disabled: z.boolean(),
  require_mfa: z.boolean(),
  has_password: z.boolean(),
  require_password_change: z.boolean(),
  updated_at: timeField,
});
export type UserView = z.output<typeof userView>;

/** The fields have the names of the apply file and a fixed order, so that the same user always has the same ETag. */
export function viewOf(user: User): UserView {
  const claims = standardClaims.map(name => [name, user.standardClaims?.[name]]);
  const fields = {
    sub: user.sub,
    username: user.username,
    email: user.email,
    email_verified: user.emailVerified,
    phone_number: user.phoneNumber,
    phone_number_verified: user.phoneNumberVerified,
    nickname: user.nickname,
    picture: user.picture,
    ...Object.fromEntries(claims),
    groups: user.membership?.groups,
    roles: user.membership?.roles,
    attributes: user.standardClaims?.attributes,
    disabled: user.disabled,
    require_mfa: user.requiresMfa,
    has_password: user.hasPassword,
    require_password_change: user.requirePasswordChange === true,
    updated_at: isoTime(user.updatedAt),
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as UserView;
}

/** A new account, as it is shown. */
export function userOf(account: Account): User {
  const { passwordHash, totp: _, passkeys: __, links: ___, requiresMfa = false, ...rest } = account;
  return { ...rest, requiresMfa, hasPassword: passwordHash !== undefined };
}
