/** E-mail addresses that wait for their confirmation, changes of them that can be undone, and passwords that have to be changed. */
export const migration014 = {
  name: '014-email-confirmations',
  sql: `
      ALTER TABLE users ADD COLUMN require_password_change INTEGER NOT NULL DEFAULT 0;

      -- Where the user asked: the application, and the sign-in that waits, as JSON.
      ALTER TABLE password_resets ADD COLUMN context TEXT;

      -- id: of the pending request that waits for the code. sub: NULL for a sign-up. sealed: the code and what is confirmed.
      CREATE TABLE email_confirmations (
        id         TEXT PRIMARY KEY,
        token_hash BLOB NOT NULL,
        sub        TEXT REFERENCES users (sub) ON DELETE CASCADE,
        sealed     BLOB NOT NULL,
        mails      INTEGER NOT NULL,
        expires_at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE UNIQUE INDEX email_confirmations_by_token ON email_confirmations (token_hash);
      CREATE INDEX email_confirmations_by_sub ON email_confirmations (sub);
      CREATE INDEX email_confirmations_by_end ON email_confirmations (expires_at);

      -- How many such mails an address got; the address as a keyed hash.
      CREATE TABLE address_mails (
        address    TEXT PRIMARY KEY,
        mails      INTEGER NOT NULL,
        expires_at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX address_mails_by_end ON address_mails (expires_at);

      -- The former address. username: the former one, where it was the address and changed with it.
      CREATE TABLE email_undos (
        token_hash BLOB PRIMARY KEY,
        sub        TEXT NOT NULL REFERENCES users (sub) ON DELETE CASCADE,
        email      TEXT NOT NULL,
        username   TEXT,
        changed_at INTEGER NOT NULL,
        expires_at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX email_undos_by_sub ON email_undos (sub);
      CREATE INDEX email_undos_by_end ON email_undos (expires_at);
    `,
};
