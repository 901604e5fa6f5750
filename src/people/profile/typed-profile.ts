import type { Profile } from '../../directory/users/claims.rules.ts';
import { isChoosableName, loginName } from '../../directory/users/login-name.rules.ts';
import type { ProfileChanges } from './rules.ts';

/** What users may change of their own profile, and what they may change it to. */
export const profileFields = ['username', 'nickname', 'picture', 'phone_number'] as const;
export type ProfileField = (typeof profileFields)[number];

export type ProfileFault =
  | 'usernameMissing'
  | 'usernameInvalid'
  | 'usernameIsAddress'
  | 'nicknameInvalid'
  | 'pictureInvalid'
  | 'phoneInvalid'
  | 'taken';

export type ProfileValues = Readonly<Record<ProfileField, string>>;

export type ProfileVerdict =
  | { readonly kind: 'changes'; readonly changed: readonly ProfileField[]; readonly changes: ProfileChanges }
  | { readonly kind: 'fault'; readonly field: ProfileField; readonly fault: ProfileFault };

export function valuesOf({ username, nickname, picture, phoneNumber }: Profile): ProfileValues {
  return { username, nickname: nickname ?? '', picture: picture ?? '', phone_number: phoneNumber ?? '' };
}

/** A field that stays as it is is not judged: an operator may have set what a user may not. */
export async function judgeProfile(user: Profile, typed: ProfileValues): Promise<ProfileVerdict> {
  const present = valuesOf(user);
  const changed = profileFields.filter(field => typed[field] !== present[field]);
  // Loaded when first needed, as the library is that it uses.
  const { userSchema } = await import('../../directory/users/fields.ts');
  const { shape } = userSchema;
  for (const field of changed) {
    const isText = shape[field].safeParse(typed[field] === '' ? null : typed[field]).success;
    const fault = faultOf(field, typed[field], isText, user);
    if (fault) return { kind: 'fault', field, fault };
  }
  return { kind: 'changes', changed, changes: toChanges(changed, typed) };
}

function faultOf(field: ProfileField, value: string, isText: boolean, user: Profile): ProfileFault | undefined {
  switch (field) {
    case 'username':
      if (value === '') return 'usernameMissing';
      if (!isText) return 'usernameInvalid';
      return isForeignAddress(value, user) ? 'usernameIsAddress' : undefined;
    case 'nickname':
      return isText ? undefined : 'nicknameInvalid';
    case 'picture':
      return isText && (value === '' || isHttps(value)) ? undefined : 'pictureInvalid';
    case 'phone_number':
      return isText ? undefined : 'phoneInvalid';
  }
}

/** The own address or number may be the user name too: a number, if it is verified. */
function isForeignAddress(username: string, { email, phoneNumber, phoneNumberVerified }: Profile): boolean {
  const own = [email, phoneNumberVerified ? phoneNumber : undefined].filter(each => each !== undefined);
  return !isChoosableName(username) && !own.some(each => loginName(each) === loginName(username));
}

function isHttps(value: string): boolean {
  return URL.canParse(value) && new URL(value).protocol === 'https:';
}

function toChanges(changed: readonly ProfileField[], typed: ProfileValues): ProfileChanges {
  const value = (field: ProfileField) => (changed.includes(field) ? typed[field] || null : undefined);
  return {
    username: value('username') ?? undefined,
    nickname: value('nickname'),
    picture: value('picture'),
    phoneNumber: value('phone_number'),
    isPhoneClaimed: true,
  };
}
