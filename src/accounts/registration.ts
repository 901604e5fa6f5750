import { z } from 'zod';
import { loginName } from './login-name.ts';
import { LONGEST_PASSWORD } from './passwords.ts';

/** What a user may be. */
const line = (most: number) =>
  z
    .string()
    .max(most, `must have at most ${most} characters`)
    .refine(text => !/\p{Cc}/u.test(text), 'must not have control characters');

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
  picture: z
    .string()
    .max(2000)
    .refine(text => /^https?:\/\//.test(text) && URL.canParse(text), 'must be an http or https address')
    .optional(),
  disabled: z.boolean().default(false),
});

export type UserEntry = z.output<typeof userSchema>;

/** Every name this person can sign in with. */
export function loginNamesOf(user: Pick<UserEntry, 'username' | 'email' | 'phone_number'>): string[] {
  const names = [user.username, user.email, user.phone_number]
    .map(typed => (typed === undefined ? undefined : loginName(typed)))
    .filter(name => name !== undefined);
  return [...new Set(names)];
}
