/** Counts of failed attempts that all nodes share, browsers that skip the second factor, and who was told of new browsers. */
export const migration013 = {
  name: '013-browsers',
  sql: `
      -- Unlogged: after a crash or a fail-over the counts begin anew, and a failed login waits for no sync.
      CREATE UNLOGGED TABLE failed_attempts (
        key     text COLLATE "C" PRIMARY KEY,
        full_at bigint NOT NULL
      );
      CREATE INDEX failed_attempts_by_end ON failed_attempts (full_at);

      CREATE TABLE trusted_browsers (
        id           text COLLATE "C" PRIMARY KEY,
        token_hash   text COLLATE "C" NOT NULL,
        sub          text COLLATE "C" NOT NULL REFERENCES users (sub) ON DELETE CASCADE,
        user_agent   text,
        created_at   bigint NOT NULL,
        last_used_at bigint,
        expires_at   bigint NOT NULL
      );
      CREATE UNIQUE INDEX trusted_browsers_by_token ON trusted_browsers (token_hash);
      CREATE INDEX trusted_browsers_by_user ON trusted_browsers (sub);
      CREATE INDEX trusted_browsers_by_end ON trusted_browsers (expires_at);

      -- A row from the first sign-in on. notices: mails about new browsers before window_ends_at.
      CREATE TABLE browser_notices (
        sub            text COLLATE "C" PRIMARY KEY REFERENCES users (sub) ON DELETE CASCADE,
        notices        bigint NOT NULL,
        window_ends_at bigint NOT NULL
      );
    `,
};
