import { toClaims, toStandardClaims, words } from './rows.ts';
import type { LiveToken, TokenUser } from './tokens.ts';

/** The two most frequent lookups read their rows as arrays: objects cost twice as much. */

export const ACCESS_COLUMNS = 't.client_id, t.sub, t.scope, t.issued_at, t.expires_at, t.audience';
/** How the user of the token logged in; NULL where the client acts for itself. */
export const ACCESS_LOGIN_COLUMNS = `${ACCESS_COLUMNS}, t.auth_time, t.amr`;
export const ACCESS_USER_COLUMNS = `${ACCESS_COLUMNS}, t.claims, u.username, u.nickname, u.picture, u.email, u.email_verified,
  u.phone_number, u.phone_number_verified, u.updated_at, u.standard_claims, u.membership`;

type Text = string | null;
type Flag = boolean | number;

export type AccessRow = [
  clientId: string,
  sub: string,
  scope: string,
  issuedAt: number,
  expiresAt: number,
  audience: Text,
];
export type AccessLoginRow = [...AccessRow, authTime: number | null, amr: Text];
export type AccessUserRow = [
  ...AccessRow,
  claims: Text,
  username: string,
  nickname: Text,
  picture: Text,
  email: Text,
  emailVerified: Flag,
  phoneNumber: Text,
  phoneNumberVerified: Flag,
  updatedAt: number,
  standardClaims: Text,
  membership: Text,
];

/** The place of `expiresAt`. */
export const EXPIRES_AT = 4;

function fromAccessRow(row: AccessRow | AccessLoginRow | AccessUserRow): LiveToken {
  const [clientId, sub, scope, issuedAt, expiresAt, audience] = row;
  const token = { clientId, sub, scope, issuedAt, expiresAt };
  return audience === null ? token : { ...token, audience };
}

export function fromAccessLoginRow(row: AccessLoginRow): LiveToken {
  const [, , , , , , authTime, amr] = row;
  const token = fromAccessRow(row);
  return authTime === null ? token : { ...token, login: { authTime, amr: words(amr) } };
}

export function fromAccessUserRow(row: AccessUserRow): TokenUser {
  const [, sub, , , , , claims, username, nickname, picture, email, emailVerified, phone, phoneVerified, ...rest] = row;
  const [updatedAt, standardClaims, membership] = rest;
  return {
    token: fromAccessRow(row),
    claims: toClaims(claims),
    user: {
      sub,
      username,
      nickname: nickname ?? undefined,
      picture: picture ?? undefined,
      email: email ?? undefined,
      emailVerified: Boolean(emailVerified),
      phoneNumber: phone ?? undefined,
      phoneNumberVerified: Boolean(phoneVerified),
      updatedAt,
      standardClaims: toStandardClaims(standardClaims),
      ...(membership === null ? undefined : { membership: JSON.parse(membership) }),
    },
  };
}
