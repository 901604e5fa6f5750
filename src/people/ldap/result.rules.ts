/** Pure: what a result of a directory means, for explanations (RFC 4511 appendix A). */

export const SUCCESS = 0;
export const SIZE_LIMIT_EXCEEDED = 4;

const NAMES: Readonly<Record<number, string>> = {
  1: 'operationsError',
  2: 'protocolError',
  3: 'timeLimitExceeded',
  4: 'sizeLimitExceeded',
  8: 'strongerAuthRequired',
  10: 'referral',
  11: 'adminLimitExceeded',
  13: 'confidentialityRequired',
  16: 'noSuchAttribute',
  18: 'inappropriateMatching',
  19: 'constraintViolation',
  32: 'noSuchObject',
  34: 'invalidDNSyntax',
  48: 'inappropriateAuthentication',
  49: 'invalidCredentials',
  50: 'insufficientAccessRights',
  51: 'busy',
  52: 'unavailable',
  53: 'unwillingToPerform',
};

/** It may be up again in a moment, or another of its servers is. */
const PASSING = [3, 11, 51, 52];

export function isPassing(code: number): boolean {
  return PASSING.includes(code);
}

/** Active Directory says after `data` why it refuses a password. */
const REASONS: Readonly<Record<string, string>> = {
  '525': 'the user was not found',
  '52e': 'the password is wrong',
  '530': 'the user may not sign in at this time',
  '531': 'the user may not sign in from this machine',
  '532': 'the password has expired',
  '533': 'the account is disabled',
  '701': 'the account has expired',
  '773': 'the password has to be changed first',
  '775': 'the account is locked',
};

/** The name of the code, and what else is known: never the text of the directory itself, which could have anything in it. */
export function meaningOf({ code, diagnostic }: { readonly code: number; readonly diagnostic: string }): string {
  const name = NAMES[code] ?? `code ${code}`;
  const data = /\bdata ([0-9a-f]{3}),/i.exec(diagnostic)?.[1]?.toLowerCase();
  const reason = data === undefined || !Object.hasOwn(REASONS, data) ? undefined : REASONS[data];
  return reason === undefined ? name : `${name} (${reason})`;
}
