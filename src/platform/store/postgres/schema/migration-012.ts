/** Mails that wait to be sent, and the links by which users set a new password. */
export const migration012 = {
  name: '012-mails',
  sql: `
      -- sealed: recipient and content.
      CREATE TABLE mails (
        id         text COLLATE "C" PRIMARY KEY,
        sealed     bytea NOT NULL,
        attempts   bigint NOT NULL,
        due_at     bigint NOT NULL,
        created_at bigint NOT NULL,
        expires_at bigint NOT NULL
      );
      CREATE INDEX mails_by_due ON mails (due_at);
      CREATE INDEX mails_by_end ON mails (expires_at);

      -- links: how many the user got while one was good.
      CREATE TABLE password_resets (
        sub        text COLLATE "C" PRIMARY KEY REFERENCES users (sub) ON DELETE CASCADE,
        token_hash bytea NOT NULL,
        links      bigint NOT NULL,
        expires_at bigint NOT NULL
      );
      CREATE UNIQUE INDEX password_resets_by_token ON password_resets (token_hash);
      CREATE INDEX password_resets_by_end ON password_resets (expires_at);
    `,
};
