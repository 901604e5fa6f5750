import { APP, delegated } from './delegated.ts';

/** Revoking an access token on the worker of its application: the same as in tokens.ts and token-exchanges.ts, step by step. */

/** Deletes the tokens that `hashes` were exchanged for, and those that these were exchanged for. */
const DROP_DERIVED = `
  WHILE cardinality(hashes) > 0 LOOP
    SELECT coalesce(array_agg(token_hash), '{}') INTO hashes FROM token_exchanges
      WHERE app = ${APP} AND subject_hash = ANY (hashes);
    DELETE FROM access_tokens WHERE app = ${APP} AND token_hash = ANY (hashes);
  END LOOP;`;

export const revokeAccess = delegated({
  name: 'revoke_access',
  values: { hash: 'bytea', client_id: 'text' },
  rows: { n: 'bigint', done: 'boolean', subject: 'text' },
  variables: ['gone record', 'hashes bytea[]'],
  body: {
    each: `
    DELETE FROM access_tokens WHERE app = ${APP} AND token_hash = r.hash AND client_id = r.client_id
      RETURNING sub INTO gone;
    CONTINUE WHEN NOT FOUND;
    hashes := ARRAY[r.hash];
    ${DROP_DERIVED}
    RETURN QUERY SELECT r.n, true, gone.sub;`,
  },
});

export const dropExchangedOfClient = delegated({
  name: 'drop_exchanged_of_client',
  values: { client_id: 'text' },
  rows: { n: 'bigint' },
  variables: ['hashes bytea[]'],
  body: {
    each: `
    SELECT coalesce(array_agg(token_hash), '{}') INTO hashes FROM token_exchanges
      WHERE app = ${APP} AND client_id = r.client_id;
    DELETE FROM access_tokens WHERE app = ${APP} AND token_hash = ANY (hashes);
    ${DROP_DERIVED}
    RETURN QUERY SELECT r.n;`,
  },
});
