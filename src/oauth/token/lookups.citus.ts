import { applicationOfPart } from '../../platform/store/application-parts.ts';
import { profileTypes } from '../../platform/store/citus/column-types.ts';
import { APP, columnsOf, delegated, REQUESTS } from '../../platform/store/citus/delegated.ts';
import type { Columns } from '../../platform/store/postgres/statement.ts';

/**
 * The two most frequent lookups on the worker of their application; the order of the columns is that of access-rows.store.ts. Each table is
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
const LOGIN: Columns = { auth_time: 'bigint', amr: 'text' };
const WITH_LOGIN: Columns = { ...LOGIN, exchange: 'text' };
const KEYS: Columns = { token_hash: 'bytea', grant_id: 'text' };

/**
 * Rows that a statement has read, as an array for each column. An array of rows would have the type of its table, which a migration
 * changes while the function is in use.
 */
class RowsRead {
  readonly variables: readonly string[];
  /** For SELECT … INTO. NULL: there was no row. */
  readonly selected: string;
  readonly into: string;
  /** For FROM, as the name. */
  readonly rows: string;

  constructor(name: string, columns: Columns) {
    const names = Object.keys(columns);
    const arrays = names.map(column => `${name}_${column}`);
    this.variables = names.map((column, index) => `${arrays[index]} ${columns[column]}[]`);
    this.selected = names.map(column => `array_agg(${column})`).join(', ');
    this.into = arrays.join(', ');
    this.rows = `unnest(${arrays.join(', ')}) AS ${name} (${names.join(', ')})`;
  }
}

const findTokens = ({ selected, into }: RowsRead) => `
  SELECT ${selected} INTO ${into} FROM access_tokens WHERE app = ${APP} AND token_hash = ANY (the_hash);
  IF t_token_hash IS NULL THEN RETURN; END IF;
  revoked := ARRAY(SELECT grant_id FROM revoked_grants WHERE app = ${APP} AND grant_id = ANY (t_grant_id));
  known := array_remove(the_caller, NULL);
  IF cardinality(known) > 0 THEN
    known := ARRAY(SELECT client_id FROM clients WHERE app = ${applicationOfPart(APP)} AND client_id = ANY (known));
  END IF;`;
const VARIABLES = ['revoked text[]', 'known text[]'];
const GOOD = 'NOT t.grant_id = ANY (revoked) AND (r.caller IS NULL OR r.caller = ANY (known))';

const tokens = new RowsRead('t', { ...KEYS, ...TOKEN, ...WITH_LOGIN });

export const findAccessToken = delegated({
  name: 'find_access_token',
  values: REQUEST,
  rows: { ...TOKEN, ...WITH_LOGIN, number: 'bigint' },
  variables: [...tokens.variables, ...VARIABLES],
  body: {
    all: `${findTokens(tokens)}
      RETURN QUERY SELECT ${columnsOf('t', { ...TOKEN, ...WITH_LOGIN })}, r.n
        FROM ${REQUESTS} JOIN ${tokens.rows} ON t.token_hash = r.hash WHERE ${GOOD};`,
  },
  rowMode: 'array',
});

const tokensOfUsers = new RowsRead('t', { ...KEYS, ...TOKEN, claims: 'text', ...LOGIN });
const people = new RowsRead('u', { sub: 'text', ...profileTypes });

export const findTokenUser = delegated({
  name: 'find_token_user',
  values: REQUEST,
  rows: { ...TOKEN, claims: 'text', ...profileTypes, ...LOGIN, number: 'bigint' },
  variables: [...tokensOfUsers.variables, ...people.variables, ...VARIABLES],
  body: {
    all: `${findTokens(tokensOfUsers)}
      SELECT ${people.selected} INTO ${people.into} FROM users WHERE sub = ANY (t_sub) AND NOT disabled;
      RETURN QUERY SELECT ${columnsOf('t', TOKEN)}, t.claims, ${columnsOf('u', profileTypes)}, ${columnsOf('t', LOGIN)}, r.n
        FROM ${REQUESTS} JOIN ${tokensOfUsers.rows} ON t.token_hash = r.hash JOIN ${people.rows} ON u.sub = t.sub
        WHERE ${GOOD};`,
  },
  rowMode: 'array',
});
