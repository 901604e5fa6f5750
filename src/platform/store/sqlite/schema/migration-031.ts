/** Revocations of replayed codes and refresh tokens that failed in the store that this one was copied from. */
export const migration031 = {
  name: '031-waiting-revocations',
  sql: `
      -- unless_issued: the access token whose existence shows that it was no replay.
      CREATE TABLE waiting_revocations (
        app           TEXT NOT NULL,
        grant_id      TEXT NOT NULL,
        replayed_at   INTEGER NOT NULL,
        event         TEXT, -- JSON
        unless_issued BLOB,
        due_at        INTEGER NOT NULL,
        attempts      INTEGER NOT NULL,
        PRIMARY KEY (app, grant_id)
      ) STRICT, WITHOUT ROWID;
    `,
};
