import { z } from 'zod';
import { type StandardClaims, standardClaims } from '../protocol/standard-claims.ts';
import { loginName } from './login-name.ts';
import { LONGEST_PASSWORD } from './passwords.ts';

/** One line of text. */
const line = (most: number) =>
  z
    .string()
    .max(most, `must have at most ${most} characters`)
    .refine(text => !/\p{Cc}/u.test(text), 'must not have control characters');

const webAddress = z
  .string()
  .max(2000)
  .refine(text => /^https?:\/\//.test(text) && URL.canParse(text), 'must be an http or https address');

const addressParts = z.strictObject({
  formatted: lines(1000).optional(),
  street_address: lines(500).optional(),
  locality: line(200).optional(),
  region: line(200).optional(),
  postal_code: line(50).optional(),
  country: line(100).optional(),
});

/** OIDC Core sections 5.1 and 5.1.1. A plain text is the address as it is written on a letter. */
const standardClaimFields = {
  name: line(200).optional(),
  given_name: line(200).optional(),
  family_name: line(200).optional(),
  middle_name: line(200).optional(),
  profile: webAddress.optional(),
  website: webAddress.optional(),
  gender: line(50).optional(),
  birthdate: z
    .string('must be a text such as "1990-01-31"')
    .regex(
      /^(\d{4}|\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01]))$/,
      'must be a date such as 1990-01-31, or a year alone',
    )
    .optional(),
  zoneinfo: line(64)
    .regex(/^[A-Za-z0-9_+-]+(\/[A-Za-z0-9_+-]+)*$/, 'must be a time zone such as Europe/Paris')
    .optional(),
  locale: line(35)
    .regex(/^[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8})*$/, 'must be a language tag such as en-US')
    .optional(),
  address: z.union([lines(1000).transform(formatted => ({ formatted })), addressParts]).optional(),
};

/** What a user may be. */
export const userSchema = z.strictObject({
  username: line(128).refine(text => loginName(text) !== undefined, 'must not be empty'),
  password: z
    .string()
    .min(1, 'must not be empty')
    .max(LONGEST_PASSWORD, `must have at most ${LONGEST_PASSWORD} characters`)
    .optional(),
  email: line(254)
    .regex(/^[^\s@]+@[^\s@]+$/, 'must be an e-mail address')
    .optional(),
  email_verified: z.boolean().default(false),
  phone_number: z
    .string()
    .regex(/^\+?\d[\d ().-]{2,30}$/, 'must be a telephone number such as +8613800000000')
    .optional(),
  phone_number_verified: z.boolean().default(false),
  nickname: line(100).optional(),
  picture: webAddress.optional(),
  ...standardClaimFields,
  disabled: z.boolean().default(false),
});

/** Text of several lines, as a postal address has. */
function lines(most: number) {
  return z
    .string()
    .max(most, `must have at most ${most} characters`)
    .refine(text => !/[^\P{Cc}\n]/u.test(text), 'must not have control characters');
}

/** What of an entry is kept as standard claims; undefined for nothing. */
export function standardClaimsOf(user: Pick<UserEntry, (typeof standardClaims)[number]>): StandardClaims | undefined {
  const set = standardClaims.filter(name => user[name] !== undefined && user[name] !== '');
  return set.length === 0 ? undefined : (Object.fromEntries(set.map(name => [name, user[name]])) as StandardClaims);
}

export type UserEntry = z.output<typeof userSchema>;

/** Every name this person can sign in with. */
export function loginNamesOf(user: Pick<UserEntry, 'username' | 'email' | 'phone_number'>): string[] {
  const names = [user.username, user.email, user.phone_number]
    .map(typed => (typed === undefined ? undefined : loginName(typed)))
    .filter(name => name !== undefined);
  return [...new Set(names)];
}
