/** Counts of failed attempts that all nodes share, browsers that skip the second factor, and who was told of new browsers. */
export const migration013 = {
  name: '013-browsers',
  sql: `
      CREATE TABLE failed_attempts (
        key     TEXT PRIMARY KEY,
        full_at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX failed_attempts_by_end ON failed_attempts (full_at);

      CREATE TABLE trusted_browsers (
        id           TEXT PRIMARY KEY,
        token_hash   TEXT NOT NULL,
        sub          TEXT NOT NULL REFERENCES users (sub) ON DELETE CASCADE,
        user_agent   TEXT,
        created_at   INTEGER NOT NULL,
        last_used_at INTEGER,
        expires_at   INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE UNIQUE INDEX trusted_browsers_by_token ON trusted_browsers (token_hash);
      CREATE INDEX trusted_browsers_by_user ON trusted_browsers (sub);
      CREATE INDEX trusted_browsers_by_end ON trusted_browsers (expires_at);

      -- A row from the first sign-in on. notices: mails about new browsers before window_ends_at.
      CREATE TABLE browser_notices (
        sub            TEXT PRIMARY KEY REFERENCES users (sub) ON DELETE CASCADE,
        notices        INTEGER NOT NULL,
        window_ends_at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
    `,
};
