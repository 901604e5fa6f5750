import type { Entry } from './message.rules.ts';

/** Pure: an entry of a directory as a person, by names of attributes. */

/** The claims that come from an entry where `attributes` of the provider says nothing else: the first attribute that is there. */
const STANDARD: Readonly<Record<string, readonly string[]>> = {
  preferred_username: ['uid', 'sAMAccountName'],
  email: ['mail'],
  name: ['displayName', 'cn'],
  given_name: ['givenName'],
  family_name: ['sn'],
  locale: ['preferredLanguage'],
};

/** What says that an account is shut: Active Directory, OpenLDAP (ppolicy), 389 Directory Server, eDirectory. */
const STATE = ['userAccountControl', 'accountExpires', 'pwdAccountLockedTime', 'nsAccountLock', 'loginDisabled'];

const UNIQUE_IDS = ['objectGUID', 'entryUUID'];

export function requestedAttributes(subject: string, mapped: Readonly<Record<string, string>> = {}): readonly string[] {
  return [...new Set([subject, ...UNIQUE_IDS, ...STATE, ...Object.values(STANDARD).flat(), ...Object.values(mapped)])];
}

/** By the names of claims, with what is mapped under its own name. */
export function claimsOf(
  entry: Entry,
  mapped: Readonly<Record<string, string>> = {},
): Readonly<Record<string, unknown>> {
  const claims: Record<string, unknown> = {};
  for (const [claim, names] of Object.entries(STANDARD)) {
    const value = names.map(name => textsOf(entry, name)[0]).find(text => text !== undefined && text !== '');
    if (value !== undefined) claims[claim] = value;
  }
  for (const [field, name] of Object.entries(mapped)) {
    const values = textsOf(entry, name);
    // An attribute of our own may be a list; a claim of OIDC Core has one value, which is the first.
    const value = field.startsWith('attributes.') && values.length > 1 ? values : values[0];
    if (value !== undefined) claims[name] = value;
  }
  // Whether it is believed is for the operator to say (`trusts_email`).
  return { ...claims, email_verified: true };
}

export function textsOf({ attributes }: Entry, name: string): readonly string[] {
  return (attributes.get(name.toLowerCase()) ?? []).map(value => value.toString());
}

const MAX_SUBJECT_LENGTH = 255;

/** Begins the subject of bytes that are no text, such as objectSid. */
const HEX = 'hex:';

/**
 * Who the person is for ever. A name or a place in the tree is given to somebody else one day, so it is none. Active Directory keeps the id in
 * bytes, and shows it with the first three groups reversed.
 *
 * Two values never have the same subject. A text is its own subject if it is valid UTF-8 and could not be taken for the subject of other
 * bytes; everything else is in hex.
 */
export function subjectOf(entry: Entry, name: string): string | undefined {
  const values = entry.attributes.get(name.toLowerCase());
  const [value] = values ?? [];
  if (value === undefined || values?.length !== 1 || value.length === 0) return undefined;
  const text = isGuid(name, value) ? guidText(value) : value.toString();
  const isItself = !/\p{Cc}/u.test(text) && subjectBytes(name, text).equals(value);
  const subject = isItself ? text : `${HEX}${value.toString('hex')}`;
  return subject.length > MAX_SUBJECT_LENGTH ? undefined : subject;
}

function isGuid(name: string, value: Buffer): boolean {
  return name.toLowerCase() === 'objectguid' && value.length === 16;
}

function guidText(bytes: Buffer): string {
  const part = (from: number, to: number, isReversed = false) => {
    const piece = Buffer.from(bytes.subarray(from, to));
    return (isReversed ? piece.reverse() : piece).toString('hex');
  };
  return [part(0, 4, true), part(4, 6, true), part(6, 8, true), part(8, 10), part(10, 16)].join('-');
}

/** The value by which the directory finds the entry of a subject again. */
export function subjectBytes(name: string, subject: string): Buffer {
  if (/^hex:([0-9a-f]{2})+$/.test(subject)) return Buffer.from(subject.slice(HEX.length), 'hex');
  if (name.toLowerCase() !== 'objectguid' || !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(subject)) {
    return Buffer.from(subject);
  }
  const bytes = Buffer.from(subject.replaceAll('-', ''), 'hex');
  return Buffer.concat([
    Buffer.from(bytes.subarray(0, 4)).reverse(),
    Buffer.from(bytes.subarray(4, 6)).reverse(),
    Buffer.from(bytes.subarray(6, 8)).reverse(),
    bytes.subarray(8),
  ]);
}

const ACCOUNT_DISABLED = 0x2;
/** Of accountExpires: since 1601 in steps of 100 ns; these two mean never. */
const NEVER = [0n, 0x7fffffffffffffffn];
const EPOCH_SECONDS = 11_644_473_600n;
/** Of pwdAccountLockedTime; any other time ends, and the directory itself knows when (draft-behera-ldap-password-policy section 5.3.3). */
const LOCKED_FOR_GOOD = '000001010000Z';

/** Why the account may not be used there, in words that explanations have. Undefined: it may, as far as its entry says. */
export function shutReason(entry: Entry, now: number): string | undefined {
  const [control = ''] = textsOf(entry, 'userAccountControl');
  if (/^\d{1,10}$/.test(control) && (Number(control) & ACCOUNT_DISABLED) !== 0) return 'the account is disabled there';
  const [expires = ''] = textsOf(entry, 'accountExpires');
  if (/^\d{1,19}$/.test(expires) && isPast(BigInt(expires), now)) return 'the account has expired there';
  if (textsOf(entry, 'pwdAccountLockedTime')[0] === LOCKED_FOR_GOOD) return 'the account is locked there';
  const isTrue = (name: string) => textsOf(entry, name)[0]?.toLowerCase() === 'true';
  return isTrue('nsAccountLock') || isTrue('loginDisabled') ? 'the account is disabled there' : undefined;
}

function isPast(expires: bigint, now: number): boolean {
  return !NEVER.includes(expires) && expires / 10_000_000n - EPOCH_SECONDS <= BigInt(now);
}
