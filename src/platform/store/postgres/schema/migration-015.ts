/** What people see of their sessions, and accounts whose deletion they asked for. */
export const migration015 = {
  name: '015-account-pages',
  sql: `
      -- Of the request that opened the session; started_at: when the browser first signed in as this user. NULL: not known.
      ALTER TABLE sessions ADD COLUMN user_agent text, ADD COLUMN address text, ADD COLUMN started_at bigint;

      -- The user is disabled until then.
      CREATE TABLE account_deletions (
        sub    text COLLATE "C" PRIMARY KEY REFERENCES users (sub) ON DELETE CASCADE,
        due_at bigint NOT NULL
      );
      CREATE INDEX account_deletions_by_due ON account_deletions (due_at);
    `,
};
