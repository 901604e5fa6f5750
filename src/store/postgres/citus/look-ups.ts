import { APP, type Columns, delegated, REQUESTS } from './delegated.ts';
import { profileTypes } from './profile-types.ts';

/**
 * The two most frequent lookups on the worker of their application; the order of the columns is that of access-rows.ts. Each table is
 * read once for all of them, by the keys of an array: a statement of a function costs the worker 70 µs, whatever it finds.
 */

const REQUEST: Columns = { hash: 'bytea', caller: 'text' };

const TOKEN: Columns = {
  client_id: 'text',
  sub: 'text',
  scope: 'text',
  issued_at: 'bigint',
  expires_at: 'bigint',
  audience: 'text',
};

const VARIABLES = ['tokens access_tokens[]', 'revoked text[]', 'known text[]'];

const FIND_TOKENS = `
  tokens := ARRAY(SELECT t FROM access_tokens t WHERE app = ${APP} AND token_hash = ANY (the_hash));
  IF cardinality(tokens) = 0 THEN RETURN; END IF;
  revoked := ARRAY(SELECT grant_id FROM revoked_grants
    WHERE app = ${APP} AND grant_id = ANY (ARRAY(SELECT t.grant_id FROM unnest(tokens) AS t)));
  known := array_remove(the_caller, NULL);
  IF cardinality(known) > 0 THEN
    known := ARRAY(SELECT client_id FROM clients WHERE app = ${APP} AND client_id = ANY (known));
  END IF;`;

const FOUND = `${REQUESTS} JOIN unnest(tokens) AS t ON t.token_hash = r.hash`;
const GOOD = 'NOT t.grant_id = ANY (revoked) AND (r.caller IS NULL OR r.caller = ANY (known))';

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
  variables: VARIABLES,
  body: {
    all: `${FIND_TOKENS}
      RETURN QUERY SELECT ${of('t', { ...TOKEN, ...WITH_LOGIN })}, r.n FROM ${FOUND} WHERE ${GOOD};`,
  },
  rowMode: 'array',
});

export const findTokenUser = delegated({
  name: 'find_token_user',
  values: REQUEST,
  rows: { ...TOKEN, claims: 'text', ...profileTypes, ...LOGIN, number: 'bigint' },
  variables: [...VARIABLES, 'people users[]'],
  body: {
    all: `${FIND_TOKENS}
      people := ARRAY(SELECT u FROM users u
        WHERE sub = ANY (ARRAY(SELECT t.sub FROM unnest(tokens) AS t)) AND NOT disabled);
      RETURN QUERY SELECT ${of('t', TOKEN)}, t.claims, ${of('u', profileTypes)}, ${of('t', LOGIN)}, r.n
        FROM ${FOUND} JOIN unnest(people) AS u ON u.sub = t.sub WHERE ${GOOD};`,
  },
  rowMode: 'array',
});
