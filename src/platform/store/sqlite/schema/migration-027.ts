/** Token exchange (RFC 8693). */
export const migration027 = {
  name: '027-token-exchange',
  sql: `
      -- JSON of an exchanged token: how often, what was withheld, and who acts. NULL: it was not exchanged.
      ALTER TABLE access_tokens ADD COLUMN exchange TEXT;
      -- From which token a token came: revoking the first ends the second, and so does the end of its client.
      CREATE TABLE token_exchanges (
        app          TEXT NOT NULL,
        token_hash   BLOB NOT NULL,
        subject_hash BLOB NOT NULL,
        client_id    TEXT NOT NULL,
        expires_at   INTEGER NOT NULL,
        PRIMARY KEY (app, token_hash)
      );
      CREATE INDEX token_exchanges_by_subject ON token_exchanges (app, subject_hash);
      CREATE INDEX token_exchanges_by_client ON token_exchanges (app, client_id);
      CREATE INDEX token_exchanges_by_end ON token_exchanges (expires_at);
    `,
};
