import { APP, type Columns, delegated } from './delegated.ts';
import { profileTypes } from './profile-types.ts';

/** The two most frequent lookups on the worker of their application; the order of the columns is that of access-rows.ts. */

const REQUEST: Columns = { hash: 'bytea', caller: 'text' };

const TOKEN: Columns = {
  client_id: 'text',
  sub: 'text',
  scope: 'text',
  issued_at: 'bigint',
  expires_at: 'bigint',
  audience: 'text',
};

const findToken = (more: readonly string[]) => `
  IF r.caller IS NOT NULL THEN
    PERFORM 1 FROM clients WHERE app = ${APP} AND client_id = r.caller;
    CONTINUE WHEN NOT FOUND;
  END IF;
  SELECT grant_id, ${[...Object.keys(TOKEN), ...more].join(', ')} INTO t FROM access_tokens
    WHERE app = ${APP} AND token_hash = r.hash;
  CONTINUE WHEN NOT FOUND;
  PERFORM 1 FROM revoked_grants WHERE app = ${APP} AND grant_id = t.grant_id;
  CONTINUE WHEN FOUND;`;

const of = (row: string, columns: Columns) =>
  Object.keys(columns)
    .map(column => `${row}.${column}`)
    .join(', ');

const LOGIN: Columns = { auth_time: 'bigint', amr: 'text' };
const WITH_LOGIN: Columns = { ...LOGIN, exchange: 'text' };

export const findAccessToken = delegated({
  name: 'find_access_token',
  values: REQUEST,
  rows: { ...TOKEN, ...WITH_LOGIN, number: 'bigint' },
  variables: ['t record'],
  body: `${findToken(Object.keys(WITH_LOGIN))}
    RETURN QUERY SELECT ${of('t', { ...TOKEN, ...WITH_LOGIN })}, r.n;`,
  rowMode: 'array',
});

export const findTokenUser = delegated({
  name: 'find_token_user',
  values: REQUEST,
  rows: { ...TOKEN, claims: 'text', ...profileTypes, ...LOGIN, number: 'bigint' },
  variables: ['t record', 'u record'],
  body: `${findToken(['claims', ...Object.keys(LOGIN)])}
    SELECT ${Object.keys(profileTypes).join(', ')} INTO u FROM users WHERE sub = t.sub AND NOT disabled;
    CONTINUE WHEN NOT FOUND;
    RETURN QUERY SELECT ${of('t', TOKEN)}, t.claims, ${of('u', profileTypes)}, ${of('t', LOGIN)}, r.n;`,
  rowMode: 'array',
});
