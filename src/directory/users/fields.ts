import { z } from 'zod';
import { linksSchema } from '../../people/linking/fields.ts';
import { passkeysSchema } from '../../people/passkey/fields.ts';
import { looksLikeHash, parsePasswordHash } from '../../people/password/hash.rules.ts';
import { MAX_NEW_PASSWORD_LENGTH, MAX_PASSWORD_LENGTH } from '../../people/password/password.rules.ts';
import { decodeBase32, MAX_KEY_BYTES, MIN_KEY_BYTES } from '../../people/totp/rules.ts';
import { checkName, usernameFault } from '../../platform/text/readable-name.rules.ts';
import { membershipFields } from '../access/membership.fields.ts';
import { MIN_PASSWORD_LENGTH } from '../applications/rules.ts';
import { attributesField } from '../user-attributes/fields.ts';
import { loginName } from './login-name.rules.ts';

/** One line of text. */
const line = (most: number) => z.string().max(most, `must have at most ${most} characters`).superRefine(checkName);

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

/** A field that an entry omits stays as it is; null and an empty text clear it. The meaning is for docs/configuration.md and the API. */
const text = (value: z.ZodType<string, string>, meaning: string) =>
  value
    .nullable()
    .transform(given => given || null)
    .optional()
    .meta({ description: meaning });
/** Clearing it makes it false. */
const flag = (meaning: string) =>
  z
    .boolean()
    .nullable()
    .transform(given => given ?? false)
    .optional()
    .meta({ description: meaning });

/** OIDC Core sections 5.1 and 5.1.1. A plain text is the address as it is written on a letter. */
const standardClaimFields = {
  name: text(line(200), 'Full name, a standard claim of OpenID Connect, as are the following up to `address`.'),
  given_name: text(line(200), 'Given name.'),
  family_name: text(line(200), 'Family name.'),
  middle_name: text(line(200), 'Middle name.'),
  profile: text(webAddress, 'The http or https address of a page about the user.'),
  website: text(webAddress, 'The http or https address of a website of the user.'),
  gender: text(line(50), 'Gender.'),
  birthdate: text(
    z
      .string('must be a text such as "1990-01-31"')
      .regex(
        /^(\d{4}|\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01]))$/,
        'must be a date such as 1990-01-31, or a year alone',
      )
      .refine(isDayOrYear, 'must be a day of the calendar'),
    'Date of birth such as `1990-01-31`, or the year alone.',
  ),
  zoneinfo: text(
    line(64).regex(/^[A-Za-z0-9_+-]+(\/[A-Za-z0-9_+-]+)*$/, 'must be a time zone such as Europe/Paris'),
    'Time zone, such as `Europe/Paris`.',
  ),
  locale: text(
    line(35).regex(/^[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8})*$/, 'must be a language tag such as en-US'),
    'Language, such as `en-US`.',
  ),
  address: z
    .union([lines(1000).transform(formatted => ({ formatted })), addressParts])
    .nullable()
    .transform(given => (given && Object.values(given).some(part => part) ? given : null))
    .optional()
    .meta({
      description:
        'The postal address: `formatted`, `street_address`, `locality`, `region`, `postal_code`, `country`; or a text, the address as a whole.',
    }),
};

/** The fields of a user in an apply file. */
export const userSchema = z
  .strictObject({
    username: line(254)
      .refine(text => usernameFault(text) === undefined, 'must not have invisible or direction-changing characters')
      .refine(text => loginName(text) !== undefined, 'must not be empty')
      .optional()
      .meta({ description: 'What the user signs in with. Left out, it is the `email`.' }),
    password: z
      .string()
      .min(1, 'must not be empty')
      .max(MAX_PASSWORD_LENGTH, `must have at most ${MAX_PASSWORD_LENGTH} characters`)
      .refine(text => !looksLikeHash(text), 'is a hash: password_hash takes one from another system')
      // For the OpenAPI document: people/password/password.rules.ts judges new passwords, in code points as JSON Schema counts. An apply file may have
      // others, which move from another system.
      .meta({ minLength: MIN_PASSWORD_LENGTH, maxLength: MAX_NEW_PASSWORD_LENGTH })
      .optional()
      .meta({ description: 'The password. A file sets it when the user is created, or with `--reset-passwords`.' }),
    password_hash: z
      .string()
      .superRefine((text, context) => {
        const parsed = parsePasswordHash(text);
        if (parsed.kind === 'unusable') context.addIssue(parsed.reason);
      })
      .optional()
      .meta({ description: 'Instead of `password`: the hash of one from another system. Set like `password`.' }),
    totp_secret: z
      .string()
      .refine(text => isTotpKey(text), `must be base32 of ${MIN_KEY_BYTES} to ${MAX_KEY_BYTES} bytes`)
      .optional()
      .meta({
        description: 'The key of an authenticator app, base32. Set like `password`, and encrypted in the database.',
      }),
    passkeys: passkeysSchema.optional().meta({
      description: 'Passkeys from another system. Set like `password`, and added to those that the user has.',
    }),
    links: linksSchema.optional().meta({
      description:
        'Who the user is at identity providers: a list of `provider` and `subject`. Added to those that the user has.',
    }),
    email: text(
      line(254).regex(/^[^\s@]+@[^\s@]+$/, 'must be an e-mail address'),
      'The e-mail address. Another one is unverified, unless the entry says otherwise.',
    ),
    email_verified: flag('Whether the e-mail address is verified.'),
    phone_number: text(
      z.string().regex(/^\+?\d[\d ().-]{2,30}$/, 'must be a telephone number such as +8613800000000'),
      'The telephone number, with the country code. Another one is unverified, unless the entry says otherwise.',
    ),
    phone_number_verified: flag('Whether the telephone number is verified.'),
    nickname: text(line(100), 'What the user wants to be called.'),
    picture: text(webAddress, 'The http or https address of a picture.'),
    ...standardClaimFields,
    ...membershipFields,
    attributes: attributesField,
    disabled: flag('The user cannot sign in. Sessions, codes and tokens end.'),
    require_mfa: flag('The user must have a second factor, whatever the application says.'),
    require_password_change: flag('The next sign-in with the password asks for another one.'),
  })
  .superRefine((user, context) => {
    const fault = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
    if (user.username === undefined && !user.email) fault('username', 'is missing, and there is no email to go by');
    if (user.password !== undefined && user.password_hash !== undefined) {
      fault('password_hash', 'must not be set together with password');
    }
  });

/** Text of several lines, as a postal address has. */
function lines(most: number) {
  return z
    .string()
    .max(most, `must have at most ${most} characters`)
    .superRefine((text, context) => checkName(text.replaceAll('\n', ''), context));
}

function isTotpKey(text: string): boolean {
  const key = decodeBase32(text);
  return key !== undefined && key.length >= MIN_KEY_BYTES && key.length <= MAX_KEY_BYTES;
}

export type UserEntry = z.output<typeof userSchema>;

/** The year 0000 leaves the year out (OIDC Core section 5.1), so it may be a leap year. */
function isDayOrYear(text: string): boolean {
  const day = text.replace(/^0000/, '2000');
  return text.length === 4 || new Date(`${day}T00:00:00Z`).toJSON()?.startsWith(day) === true;
}
