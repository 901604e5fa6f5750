/** Mails that wait to be sent, and the links by which users set a new password. */
export const migration012 = {
  name: '012-mails',
  sql: `
      -- sealed: recipient and content.
      CREATE TABLE mails (
        id         TEXT PRIMARY KEY,
        sealed     BLOB NOT NULL,
        attempts   INTEGER NOT NULL,
        due_at     INTEGER NOT NULL,
        created_at INTEGER NOT NULL,
        expires_at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX mails_by_due ON mails (due_at);
      CREATE INDEX mails_by_end ON mails (expires_at);

      -- links: how many the user got while one was good.
      CREATE TABLE password_resets (
        sub        TEXT PRIMARY KEY REFERENCES users (sub) ON DELETE CASCADE,
        token_hash BLOB NOT NULL,
        links      INTEGER NOT NULL,
        expires_at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE UNIQUE INDEX password_resets_by_token ON password_resets (token_hash);
      CREATE INDEX password_resets_by_end ON password_resets (expires_at);
    `,
};
