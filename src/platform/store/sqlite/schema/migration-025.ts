/** Device authorizations (RFC 8628). `sub`, `auth_time` and `amr` are set with the approval, `grant_id` when it is redeemed. */
export const migration025 = {
  name: '025-device-authorizations',
  sql: `
      CREATE TABLE device_authorizations (
        device_hash    BLOB PRIMARY KEY,
        user_code_hash TEXT NOT NULL UNIQUE,
        app            TEXT NOT NULL,
        client_id      TEXT NOT NULL,
        scope          TEXT NOT NULL,
        resources      TEXT,
        address        TEXT NOT NULL,
        created_at     INTEGER NOT NULL,
        expires_at     INTEGER NOT NULL,
        state          TEXT NOT NULL,
        poll_interval  INTEGER NOT NULL,
        polled_at      INTEGER,
        sub            TEXT REFERENCES users (sub) ON DELETE CASCADE,
        auth_time      INTEGER,
        amr            TEXT,
        grant_id       TEXT
      );
      CREATE INDEX device_authorizations_by_end ON device_authorizations (expires_at);
      CREATE INDEX device_authorizations_by_user ON device_authorizations (sub) WHERE sub IS NOT NULL;
      CREATE INDEX device_authorizations_by_client ON device_authorizations (app, client_id) WHERE state = 'approved';
    `,
};
