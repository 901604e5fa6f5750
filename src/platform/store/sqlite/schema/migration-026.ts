/** Clients that no operator has set: by dynamic registration (RFC 7591), or by a document that they publish. */
export const migration026 = {
  name: '026-client-registrations',
  sql: `
      CREATE TABLE client_registrations (
        app        TEXT NOT NULL,
        client_id  TEXT NOT NULL,
        token_hash BLOB, -- of the registration access token; NULL: the client publishes its metadata itself
        created_at INTEGER NOT NULL,
        used_at    INTEGER, -- when a user last agreed to a request of it; NULL: never
        PRIMARY KEY (app, client_id),
        FOREIGN KEY (app, client_id) REFERENCES clients ON DELETE CASCADE
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX client_registrations_by_use ON client_registrations (coalesce(used_at, created_at));

      CREATE TABLE initial_access_tokens (
        app        TEXT NOT NULL REFERENCES applications ON DELETE CASCADE,
        id         TEXT NOT NULL,
        name       TEXT NOT NULL,
        token_hash BLOB NOT NULL UNIQUE,
        created_at INTEGER NOT NULL,
        expires_at INTEGER,
        PRIMARY KEY (app, id)
      ) STRICT, WITHOUT ROWID;

      -- Whether somebody uses a client is asked by the job that deletes those that nobody uses. With the user, so that a lookup of one consent
      -- reads one row, whichever index the planner takes.
      CREATE INDEX consents_by_client ON consents (app, client_id, sub);
    `,
};
