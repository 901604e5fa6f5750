/** Standard claims, the age limit of token families, unused signing keys, withdrawn consents, the lag of the purge. */
export const migration003 = {
  name: '003-claims-families-keys',
  sql: `
      -- The standard claims of OpenID Connect that have no column of their own, as JSON; NULL for none.
      ALTER TABLE users ADD COLUMN standard_claims TEXT;
      -- A token family ends for good refresh_family_ttl after it began; NULL for older ones, which count from their login.
      ALTER TABLE grants ADD COLUMN started_at INTEGER;
      -- Whether the client of a code has the refresh grant; by a PKCE verifier alone only the code tells which client it is.
      ALTER TABLE codes ADD COLUMN with_refresh INTEGER NOT NULL DEFAULT 1;
      -- Since when nothing asks for the algorithm of a signing key; NULL for one in use.
      ALTER TABLE signing_keys ADD COLUMN retired_at INTEGER;
      -- The release before, which does not note it, made a key of every algorithm; those that no client uses have signed nothing.
      ALTER TABLE signing_keys ADD COLUMN has_signed INTEGER NOT NULL DEFAULT 1;
      UPDATE signing_keys SET has_signed = 0 WHERE NOT EXISTS (
        SELECT 1 FROM clients WHERE clients.app = signing_keys.app
          AND coalesce(metadata ->> 'id_token_signed_response_alg', 'ES256') = alg);
      -- The last withdrawal of a consent, for longer than a code lives. A code that knows of another one, or of none, is from before.
      CREATE TABLE withdrawn_consents (
        sub        TEXT NOT NULL,
        app        TEXT NOT NULL,
        client_id  TEXT NOT NULL,
        withdrawal TEXT NOT NULL,
        expires_at INTEGER NOT NULL,
        PRIMARY KEY (sub, app, client_id)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX withdrawn_consents_by_end ON withdrawn_consents (expires_at);
      ALTER TABLE codes ADD COLUMN withdrawal TEXT;
      -- When everything that had ended was last deleted, by whichever process: the lag that each of them reports.
      CREATE TABLE purge_state (completed_at INTEGER NOT NULL) STRICT;
      INSERT INTO purge_state VALUES (unixepoch());
    `,
};
