/** Clients that no operator has set: by dynamic registration (RFC 7591), or by a document that they publish. */
export const migration026 = {
  name: '026-client-registrations',
  sql: `
      CREATE TABLE client_registrations (
        app        text NOT NULL,
        client_id  text NOT NULL,
        token_hash bytea, -- of the registration access token; NULL: the client publishes its metadata itself
        created_at bigint NOT NULL,
        used_at    bigint, -- when a user last agreed to a request of it; NULL: never
        PRIMARY KEY (app, client_id),
        FOREIGN KEY (app, client_id) REFERENCES clients ON DELETE CASCADE
      );
      CREATE INDEX client_registrations_by_use ON client_registrations (coalesce(used_at, created_at));

      CREATE TABLE initial_access_tokens (
        app        text NOT NULL REFERENCES applications ON DELETE CASCADE,
        id         text NOT NULL,
        name       text NOT NULL,
        token_hash bytea NOT NULL UNIQUE,
        created_at bigint NOT NULL,
        expires_at bigint,
        PRIMARY KEY (app, id)
      );

      -- Whether somebody uses a client is asked by the job that deletes those that nobody uses. With the user, so that a lookup of one consent
      -- reads one row, whichever index the planner takes.
      CREATE INDEX consents_by_client ON consents (app, client_id, sub);
    `,
};
