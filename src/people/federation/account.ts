import type { ProviderSettings } from '../../directory/providers/rules.ts';
import { userSchema } from '../../directory/users/fields.ts';
import { isChoosableName, loginName } from '../../directory/users/login-name.rules.ts';
import { standardClaims } from '../../directory/users/standard-claims.rules.ts';
import type { Account } from '../../directory/users/store.ts';
import type { Services } from '../../services.ts';
import { changeProfile, EMPTY_PROFILE, type ProfileChanges } from '../profile/rules.ts';
import { isReservedName } from '../sign-up/reserved-names.ts';
import { type SaidFields, saysVerified } from './person.rules.ts';

/** A person as the provider describes it, in the form of our own fields. What does not fit one of them is left out. */
export interface Person {
  readonly username: string | undefined;
  readonly email: string | undefined;
  /** The provider says so, and the operator trusts it with addresses. */
  readonly hasVerifiedEmail: boolean;
  /** Nobody vouches for the address: it keeps nobody else from having it. */
  readonly isEmailClaimed: boolean;
  readonly changes: ProfileChanges;
}

export function personOf(
  { type, trusts_email }: Pick<ProviderSettings, 'type' | 'trusts_email'>,
  said: SaidFields,
): Person {
  const fields = validFields(said);
  const email = fields.email as string | undefined;
  const claims = standardClaims.flatMap(name => (fields[name] === undefined ? [] : [[name, fields[name]]]));
  const hasVerifiedEmail = email !== undefined && trusts_email && saysVerified(said);
  const phoneNumber = fields.phone_number as string | undefined;
  return {
    username: fields.username as string | undefined,
    email,
    hasVerifiedEmail,
    // The people of an old system come with the names that they sign in with, as if operators had imported them.
    isEmailClaimed: email !== undefined && !hasVerifiedEmail && type !== 'password-check',
    changes: {
      nickname: fields.nickname as string | undefined,
      picture: fields.picture as string | undefined,
      ...(phoneNumber === undefined ? {} : { phoneNumber, isPhoneClaimed: true, phoneNumberVerified: false }),
      standardClaims: Object.fromEntries(claims),
      groups: fields.groups as readonly string[] | undefined,
    },
  };
}

/** Of what was said, what a user can have. */
export function validFields(said: SaidFields): Readonly<Record<string, unknown>> {
  const { shape } = userSchema;
  return Object.fromEntries(
    Object.entries(said).flatMap(([name, value]) => {
      const field = Object.hasOwn(shape, name) ? shape[name as keyof typeof shape] : undefined;
      const parsed = field?.safeParse(value);
      return parsed?.success && parsed.data !== null && parsed.data !== undefined ? [[name, parsed.data]] : [];
    }),
  );
}

const SUB_BYTES = 16;
const SUFFIX_BYTES = 5;

/**
 * The account of a person who is new here. `names`: the user names that the account may get, the best first; the last one is random. None
 * is a name by which an application admits a user, nor an address that is not the person's.
 */
export async function newAccounts(services: Services, provider: string, person: Person): Promise<readonly Account[]> {
  const { random, clock } = services;
  const { email, isEmailClaimed } = person;
  const free = email === undefined || (await isReservedName(services, email)) ? undefined : email;
  const names = [...wantedNames(person), ...(free === undefined || isEmailClaimed ? [] : [free])];
  const allowed = await Promise.all(names.map(async name => ((await isReservedName(services, name)) ? [] : [name])));
  const generated = `${provider}-${random.bytes(SUFFIX_BYTES).toString('hex')}`;
  const empty = { sub: random.bytes(SUB_BYTES).toString('base64url'), updatedAt: clock.now(), ...EMPTY_PROFILE };
  return [...new Set([...allowed.flat(), generated])].map(username => ({
    ...changeProfile(
      { ...empty, username },
      {
        ...person.changes,
        ...{ username, email: free, isEmailClaimed },
        emailVerified: person.hasVerifiedEmail && free !== undefined,
      },
    ),
    passwordHash: undefined,
    disabled: false,
  }));
}

/** Only names that people may choose themselves: what looks like an address would take it from its owner. */
function wantedNames({ username, email }: Person): readonly string[] {
  if (username === undefined || (email !== undefined && loginName(username) === loginName(email))) return [];
  return isChoosableName(username) ? [username] : [];
}
