/**
 * Numbered, forward only; a migration that has been released is never edited. The application is part of every key where
 * there is one. Secrets are stored as hashes (BLOB), private keys sealed.
 */
export interface Migration {
  readonly name: string;
  readonly sql: string;
}

export const migrations: readonly Migration[] = [
  {
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
  },
  {
    // What is issued at the same time is written side by side, whichever application it is for: with the application in front,
    // a commit of fifty tokens for fifty applications changed fifty pages. The key tells when its row ends, so that no index
    // has to.
    name: '002-keys-by-time',
    sql: `
      CREATE TABLE codes_by_time (
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
        PRIMARY KEY (code_hash, app)
      ) STRICT, WITHOUT ROWID;
      INSERT INTO codes_by_time SELECT * FROM codes ORDER BY code_hash, app;
      DROP TABLE codes;
      ALTER TABLE codes_by_time RENAME TO codes;

      CREATE TABLE access_tokens_by_time (
        app        TEXT NOT NULL,
        token_hash BLOB NOT NULL,
        grant_id   TEXT NOT NULL,
        client_id  TEXT NOT NULL,
        sub        TEXT NOT NULL,
        scope      TEXT NOT NULL,
        claims     TEXT,
        issued_at  INTEGER NOT NULL,
        expires_at INTEGER NOT NULL,
        PRIMARY KEY (token_hash, app)
      ) STRICT, WITHOUT ROWID;
      INSERT INTO access_tokens_by_time SELECT * FROM access_tokens ORDER BY token_hash, app;
      DROP TABLE access_tokens;
      ALTER TABLE access_tokens_by_time RENAME TO access_tokens;

      CREATE TABLE refresh_tokens_by_time (
        app            TEXT NOT NULL,
        token_hash     BLOB NOT NULL,
        grant_id       TEXT NOT NULL,
        issued_at      INTEGER NOT NULL,
        expires_at     INTEGER NOT NULL,
        rotated_at     INTEGER,
        successor_hash BLOB,
        PRIMARY KEY (token_hash, app)
      ) STRICT, WITHOUT ROWID;
      INSERT INTO refresh_tokens_by_time SELECT * FROM refresh_tokens ORDER BY token_hash, app;
      DROP TABLE refresh_tokens;
      ALTER TABLE refresh_tokens_by_time RENAME TO refresh_tokens;
    `,
  },
  {
    // What the first inspection asked for.
    name: '003-claims-families-keys',
    sql: `
      -- The standard claims of OpenID Connect that have no column of their own, as JSON; NULL for none.
      ALTER TABLE users ADD COLUMN standard_claims TEXT;
      -- A token family ends for good refresh_family_ttl after it began; NULL for older ones, which count from their login.
      ALTER TABLE grants ADD COLUMN started_at INTEGER;
      -- Whether the client of a code has the refresh grant; by a PKCE verifier alone only the code tells which client it is.
      ALTER TABLE codes ADD COLUMN with_refresh INTEGER NOT NULL DEFAULT 1;
      -- Since when nothing asks for the algorithm of a signing key; NULL for one in use.
      ALTER TABLE signing_keys ADD COLUMN retired_at INTEGER;
      -- The release before, which does not note it, made a key of every algorithm; those that no client uses have signed nothing.
      ALTER TABLE signing_keys ADD COLUMN has_signed INTEGER NOT NULL DEFAULT 1;
      UPDATE signing_keys SET has_signed = 0 WHERE NOT EXISTS (
        SELECT 1 FROM clients WHERE clients.app = signing_keys.app
          AND coalesce(metadata ->> 'id_token_signed_response_alg', 'ES256') = alg);
      -- The last withdrawal of a consent, for longer than a code lives. A code that knows of another one, or of none, is from before.
      CREATE TABLE withdrawn_consents (
        sub        TEXT NOT NULL,
        app        TEXT NOT NULL,
        client_id  TEXT NOT NULL,
        withdrawal TEXT NOT NULL,
        expires_at INTEGER NOT NULL,
        PRIMARY KEY (sub, app, client_id)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX withdrawn_consents_by_end ON withdrawn_consents (expires_at);
      ALTER TABLE codes ADD COLUMN withdrawal TEXT;
      -- When everything that had ended was last deleted, by whichever process: the lag that each of them reports.
      CREATE TABLE purge_state (completed_at INTEGER NOT NULL) STRICT;
      INSERT INTO purge_state VALUES (unixepoch());
    `,
  },
  {
    name: '004-credentials',
    sql: `
      -- What users sign in with. Of a password the id is its kind, so that each user has one at most; data is the hash.
      CREATE TABLE credentials (
        sub          TEXT NOT NULL REFERENCES users ON DELETE CASCADE,
        id           TEXT NOT NULL,
        kind         TEXT NOT NULL,
        data         TEXT NOT NULL,
        created_at   INTEGER NOT NULL,
        last_used_at INTEGER,
        PRIMARY KEY (sub, id),
        CHECK ((kind = 'password') = (id = 'password'))
      ) STRICT, WITHOUT ROWID;
      INSERT INTO credentials (sub, id, kind, data, created_at)
        SELECT sub, 'password', 'password', password_hash, updated_at FROM users WHERE password_hash IS NOT NULL;

      -- The release before reads and writes users.password_hash: until it is gone, the column and the table are kept equal.
      CREATE TRIGGER password_inserted_by_former_release AFTER INSERT ON users WHEN NEW.password_hash IS NOT NULL
      BEGIN
        INSERT INTO credentials (sub, id, kind, data, created_at)
          VALUES (NEW.sub, 'password', 'password', NEW.password_hash, NEW.updated_at);
      END;
      CREATE TRIGGER password_changed_by_former_release AFTER UPDATE OF password_hash ON users
        WHEN NEW.password_hash IS NOT OLD.password_hash
      BEGIN
        DELETE FROM credentials WHERE sub = NEW.sub AND id = 'password' AND NEW.password_hash IS NULL;
        INSERT INTO credentials (sub, id, kind, data, created_at)
          SELECT NEW.sub, 'password', 'password', NEW.password_hash, NEW.updated_at WHERE NEW.password_hash IS NOT NULL
          ON CONFLICT (sub, id) DO UPDATE SET data = excluded.data, created_at = excluded.created_at
          WHERE data IS NOT excluded.data;
      END;
      CREATE TRIGGER password_inserted AFTER INSERT ON credentials WHEN NEW.kind = 'password'
      BEGIN
        UPDATE users SET password_hash = NEW.data WHERE sub = NEW.sub AND password_hash IS NOT NEW.data;
      END;
      CREATE TRIGGER password_changed AFTER UPDATE OF data ON credentials WHEN NEW.kind = 'password'
      BEGIN
        UPDATE users SET password_hash = NEW.data WHERE sub = NEW.sub AND password_hash IS NOT NEW.data;
      END;
      CREATE TRIGGER password_removed AFTER DELETE ON credentials WHEN OLD.kind = 'password'
      BEGIN
        UPDATE users SET password_hash = NULL WHERE sub = OLD.sub AND password_hash IS NOT NULL;
      END;
    `,
  },
];
