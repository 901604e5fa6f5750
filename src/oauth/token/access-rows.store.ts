import { toStandardClaims } from '../../directory/users/rows.store.ts';
import { words } from '../../platform/store/row.ts';
import { toClaims } from './rows.store.ts';
import type { LiveToken, TokenUser } from './store.ts';

/** The two most frequent lookups read their rows as arrays: objects cost twice as much. */

const ACCESS_COLUMNS = 't.client_id, t.sub, t.scope, t.issued_at, t.expires_at, t.audience';
/** How the user of the token logged in, and how an exchanged token came about. */
export const ACCESS_LOGIN_COLUMNS = `${ACCESS_COLUMNS}, t.auth_time, t.amr, t.exchange`;
export const ACCESS_USER_COLUMNS = `${ACCESS_COLUMNS}, t.claims, u.username, u.nickname, u.picture, u.email, u.email_verified,
  u.phone_number, u.phone_number_verified, u.updated_at, u.standard_claims, u.membership, t.auth_time, t.amr`;

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
export type AccessLoginRow = [...AccessRow, authTime: number | null, amr: Text, exchange: Text];
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
  authTime: number | null,
  amr: Text,
];

/** The place of `expiresAt`. */
export const EXPIRES_AT = 4;

function fromAccessRow(row: AccessRow | AccessLoginRow | AccessUserRow): LiveToken {
  const [clientId, sub, scope, issuedAt, expiresAt, audience] = row;
  const token = { clientId, sub, scope, issuedAt, expiresAt };
  return audience === null ? token : { ...token, audience };
}

export function fromAccessLoginRow(row: AccessLoginRow): LiveToken {
  const [, , , , , , authTime, amr, exchange] = row;
  const token = fromAccessRow(row);
  const withLogin = authTime === null ? token : { ...token, login: { authTime, amr: words(amr) } };
  return exchange === null ? withLogin : { ...withLogin, exchange: JSON.parse(exchange) };
}

export function fromAccessUserRow(row: AccessUserRow): TokenUser {
  const [, sub, , , , , claims, username, nickname, picture, email, emailVerified, phone, phoneVerified, ...rest] = row;
  const [updatedAt, standardClaims, membership, authTime, amr] = rest;
  return {
    token: fromAccessRow(row),
    claims: toClaims(claims),
    authTime,
    amr,
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
