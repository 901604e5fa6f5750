/** Standard claims, the age limit of token families, unused signing keys, the lag of the purge. */
export const migration003 = {
  name: '003-claims-families-keys',
  sql: `
      -- The standard claims of OpenID Connect that have no column of their own, as JSON; NULL for none.
      ALTER TABLE users ADD COLUMN standard_claims text;
      -- A token family ends for good refresh_family_ttl after it began; NULL for older ones, which count from their login.
      ALTER TABLE grants ADD COLUMN started_at bigint;
      -- Whether the client of a code has the refresh grant; by a PKCE verifier alone only the code tells which client it is.
      ALTER TABLE codes ADD COLUMN with_refresh boolean NOT NULL DEFAULT true;
      -- Since when nothing asks for the algorithm of a signing key; NULL for one in use.
      ALTER TABLE signing_keys ADD COLUMN retired_at bigint;
      -- The release before, which does not note it, made a key of every algorithm; those that no client uses have signed nothing.
      ALTER TABLE signing_keys ADD COLUMN has_signed boolean NOT NULL DEFAULT true;
      UPDATE signing_keys SET has_signed = false WHERE NOT EXISTS (
        SELECT 1 FROM clients WHERE clients.app = signing_keys.app
          AND coalesce(metadata::json ->> 'id_token_signed_response_alg', 'ES256') = alg);
      -- When everything that had ended was last deleted, by whichever process: the lag that each of them reports.
      CREATE TABLE purge_state (completed_at bigint NOT NULL);
      INSERT INTO purge_state VALUES (extract(epoch FROM now())::bigint);
    `,
};
