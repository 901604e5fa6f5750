/** The tables as the first release created them. Released: never edited. */
export const migration001 = {
  name: '001-foundation',
  sql: `
      CREATE TABLE registry_version (version INTEGER NOT NULL) STRICT;
      INSERT INTO registry_version VALUES (1);

      CREATE TABLE applications (
        code     TEXT PRIMARY KEY,
        name     TEXT NOT NULL,
        settings TEXT NOT NULL
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE clients (
        app         TEXT NOT NULL REFERENCES applications ON DELETE CASCADE,
        client_id   TEXT NOT NULL,
        secret_hash TEXT,
        metadata    TEXT NOT NULL,
        PRIMARY KEY (app, client_id)
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE client_origins (
        app       TEXT NOT NULL,
        origin    TEXT NOT NULL,
        client_id TEXT NOT NULL,
        PRIMARY KEY (app, origin, client_id),
        FOREIGN KEY (app, client_id) REFERENCES clients ON DELETE CASCADE
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX client_origins_by_client ON client_origins (app, client_id);

      CREATE TABLE signing_keys (
        app                TEXT NOT NULL REFERENCES applications ON DELETE CASCADE,
        kid                TEXT NOT NULL,
        alg                TEXT NOT NULL,
        public_jwk         TEXT NOT NULL,
        sealed_private_key BLOB NOT NULL,
        created_at         INTEGER NOT NULL,
        sign_from          INTEGER NOT NULL,
        PRIMARY KEY (app, kid)
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE users (
        sub                   TEXT PRIMARY KEY,
        username              TEXT NOT NULL,
        nickname              TEXT,
        picture               TEXT,
        email                 TEXT,
        email_verified        INTEGER NOT NULL,
        phone_number          TEXT,
        phone_number_verified INTEGER NOT NULL,
        password_hash         TEXT,
        disabled              INTEGER NOT NULL,
        updated_at            INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;

      -- User names, e-mails and telephone numbers share one name space, since one field takes them all.
      CREATE TABLE login_names (
        login_name TEXT PRIMARY KEY,
        sub        TEXT NOT NULL REFERENCES users ON DELETE CASCADE
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX login_names_by_user ON login_names (sub);

      CREATE TABLE sessions (
        id_hash         BLOB PRIMARY KEY,
        sid             TEXT NOT NULL,
        sub             TEXT NOT NULL,
        auth_time       INTEGER NOT NULL,
        amr             TEXT NOT NULL,
        opened_by       TEXT NOT NULL,
        idle_expires_at INTEGER NOT NULL,
        expires_at      INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX sessions_by_end ON sessions (idle_expires_at);
      CREATE INDEX sessions_by_user ON sessions (sub);

      -- Outlives its session: a login form stays spent after the session it opened was replaced.
      CREATE TABLE spent_logins (
        pending_id TEXT PRIMARY KEY,
        expires_at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX spent_logins_by_end ON spent_logins (expires_at);

      CREATE TABLE grants (
        app        TEXT NOT NULL,
        grant_id   TEXT NOT NULL,
        client_id  TEXT NOT NULL,
        sub        TEXT NOT NULL,
        scope      TEXT NOT NULL,
        auth_time  INTEGER NOT NULL,
        amr        TEXT NOT NULL,
        sid        TEXT,
        claims     TEXT, -- asked for one by one, as JSON; NULL for none
        revoked_at INTEGER,
        expires_at INTEGER NOT NULL,
        PRIMARY KEY (app, grant_id)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX grants_by_end ON grants (expires_at);
      CREATE INDEX grants_by_user ON grants (sub, app, client_id);
      CREATE INDEX grants_by_session ON grants (sid) WHERE sid IS NOT NULL;

      -- The few grants that were revoked, so that looking at an access token need not read the many that were not.
      CREATE TABLE revoked_grants (
        app        TEXT NOT NULL,
        grant_id   TEXT NOT NULL,
        expires_at INTEGER NOT NULL,
        PRIMARY KEY (app, grant_id)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX revoked_grants_by_end ON revoked_grants (expires_at);
      CREATE TRIGGER grant_revoked AFTER UPDATE OF revoked_at ON grants WHEN NEW.revoked_at IS NOT NULL
      BEGIN
        INSERT OR IGNORE INTO revoked_grants VALUES (NEW.app, NEW.grant_id, NEW.expires_at);
      END;

      CREATE TABLE codes (
        app            TEXT NOT NULL,
        code_hash      BLOB NOT NULL,
        client_id      TEXT NOT NULL,
        sub            TEXT NOT NULL,
        scope          TEXT NOT NULL,
        auth_time      INTEGER NOT NULL,
        amr            TEXT NOT NULL,
        sid            TEXT,
        nonce          TEXT,
        claims         TEXT,
        redirect_uri   TEXT NOT NULL,
        code_challenge TEXT,
        client_authentication_required INTEGER NOT NULL,
        expires_at     INTEGER NOT NULL,
        grant_id       TEXT,
        PRIMARY KEY (app, code_hash)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX codes_by_end ON codes (expires_at);

      CREATE TABLE access_tokens (
        app        TEXT NOT NULL,
        token_hash BLOB NOT NULL,
        grant_id   TEXT NOT NULL,
        client_id  TEXT NOT NULL,
        sub        TEXT NOT NULL,
        scope      TEXT NOT NULL,
        claims     TEXT,
        issued_at  INTEGER NOT NULL,
        expires_at INTEGER NOT NULL,
        PRIMARY KEY (app, token_hash)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX access_tokens_by_end ON access_tokens (expires_at);

      CREATE TABLE refresh_tokens (
        app            TEXT NOT NULL,
        token_hash     BLOB NOT NULL,
        grant_id       TEXT NOT NULL,
        issued_at      INTEGER NOT NULL,
        expires_at     INTEGER NOT NULL,
        rotated_at     INTEGER,
        successor_hash BLOB,
        PRIMARY KEY (app, token_hash)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX refresh_tokens_by_end ON refresh_tokens (expires_at);

      CREATE TABLE consents (
        sub       TEXT NOT NULL REFERENCES users ON DELETE CASCADE,
        app       TEXT NOT NULL,
        client_id TEXT NOT NULL,
        scope     TEXT NOT NULL,
        given_at  INTEGER NOT NULL,
        PRIMARY KEY (sub, app, client_id)
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE session_clients (
        sid       TEXT NOT NULL,
        app       TEXT NOT NULL,
        client_id TEXT NOT NULL,
        PRIMARY KEY (sid, app, client_id)
      ) STRICT, WITHOUT ROWID;

      -- For a while after a session has ended: a request that was on its way gets nothing from it.
      CREATE TABLE ended_sessions (
        sid        TEXT PRIMARY KEY,
        expires_at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX ended_sessions_by_end ON ended_sessions (expires_at);

      CREATE TABLE logout_notices (
        id        INTEGER PRIMARY KEY,
        app       TEXT NOT NULL,
        client_id TEXT NOT NULL,
        sub       TEXT NOT NULL,
        sid       TEXT NOT NULL,
        due_at    INTEGER NOT NULL,
        attempts  INTEGER NOT NULL DEFAULT 0
      ) STRICT;
      CREATE INDEX logout_notices_by_due ON logout_notices (due_at);
    `,
};
