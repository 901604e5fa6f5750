/**
 * Numbered as those of the embedded store, forward only; a migration that has been released is never edited.
 *
 * Nodes are replaced one by one, so the release before must be able to work with what a migration leaves: add columns that
 * may be NULL or have a default, add tables and indexes; remove something only in the release after the one that stopped
 * using it. Nothing here may hold a lock for long on a table that requests use.
 *
 * Codes, tokens and sessions are divided by the key they are known by, which begins with the time of their end: partitions.ts.
 * They have no index but their key, so that a write touches as little as it can.
 */
export type Migration =
  | { readonly name: string; readonly sql: string }
  /** An index on a table that may be large is made beside the requests that use it; not on one that is divided. */
  | { readonly name: string; readonly index: string; readonly on: string };

export const migrations: readonly Migration[] = [
  {
    name: '001-foundation',
    sql: `
      CREATE TABLE registry_version (version bigint NOT NULL);
      INSERT INTO registry_version VALUES (1);

      CREATE TABLE applications (
        code     text PRIMARY KEY,
        name     text NOT NULL,
        settings text NOT NULL
      );

      CREATE TABLE clients (
        app         text NOT NULL REFERENCES applications ON DELETE CASCADE,
        client_id   text NOT NULL,
        secret_hash text,
        metadata    text NOT NULL,
        PRIMARY KEY (app, client_id)
      );

      CREATE TABLE client_origins (
        app       text NOT NULL,
        origin    text NOT NULL,
        client_id text NOT NULL,
        PRIMARY KEY (app, origin, client_id),
        FOREIGN KEY (app, client_id) REFERENCES clients ON DELETE CASCADE
      );
      CREATE INDEX client_origins_by_client ON client_origins (app, client_id);

      CREATE TABLE signing_keys (
        app                text NOT NULL REFERENCES applications ON DELETE CASCADE,
        kid                text NOT NULL,
        alg                text NOT NULL,
        public_jwk         text NOT NULL,
        sealed_private_key bytea NOT NULL,
        created_at         bigint NOT NULL,
        sign_from          bigint NOT NULL,
        PRIMARY KEY (app, kid)
      );

      CREATE TABLE users (
        sub                   text PRIMARY KEY,
        username              text NOT NULL,
        nickname              text,
        picture               text,
        email                 text,
        email_verified        boolean NOT NULL,
        phone_number          text,
        phone_number_verified boolean NOT NULL,
        password_hash         text,
        disabled              boolean NOT NULL,
        updated_at            bigint NOT NULL
      );

      -- User names, e-mails and telephone numbers share one name space, since one field takes them all.
      CREATE TABLE login_names (
        login_name text PRIMARY KEY,
        sub        text NOT NULL REFERENCES users ON DELETE CASCADE
      );
      CREATE INDEX login_names_by_user ON login_names (sub);

      CREATE TABLE sessions (
        id_hash         bytea NOT NULL,
        sid             text NOT NULL,
        sub             text NOT NULL,
        auth_time       bigint NOT NULL,
        amr             text NOT NULL,
        opened_by       text NOT NULL,
        idle_expires_at bigint NOT NULL,
        expires_at      bigint NOT NULL,
        PRIMARY KEY (id_hash)
      ) PARTITION BY RANGE (id_hash);
      CREATE INDEX sessions_by_user ON sessions (sub);

      -- Outlives its session: a login form stays spent after the session it opened was replaced.
      CREATE TABLE spent_logins (
        pending_id text PRIMARY KEY,
        expires_at bigint NOT NULL
      );
      CREATE INDEX spent_logins_by_end ON spent_logins (expires_at);

      CREATE TABLE grants (
        app        text NOT NULL,
        grant_id   text NOT NULL,
        client_id  text NOT NULL,
        sub        text NOT NULL,
        scope      text NOT NULL,
        auth_time  bigint NOT NULL,
        amr        text NOT NULL,
        sid        text,
        claims     text, -- asked for one by one, as JSON; NULL for none
        revoked_at bigint,
        expires_at bigint NOT NULL,
        PRIMARY KEY (app, grant_id)
      );
      CREATE INDEX grants_by_end ON grants (expires_at);
      CREATE INDEX grants_by_user ON grants (sub, app, client_id);
      CREATE INDEX grants_by_session ON grants (sid) WHERE sid IS NOT NULL;

      -- The few grants that were revoked, so that looking at an access token need not read the many that were not.
      CREATE TABLE revoked_grants (
        app        text NOT NULL,
        grant_id   text NOT NULL,
        expires_at bigint NOT NULL,
        PRIMARY KEY (app, grant_id)
      );
      CREATE INDEX revoked_grants_by_end ON revoked_grants (expires_at);

      CREATE TABLE codes (
        app            text NOT NULL,
        code_hash      bytea NOT NULL,
        client_id      text NOT NULL,
        sub            text NOT NULL,
        scope          text NOT NULL,
        auth_time      bigint NOT NULL,
        amr            text NOT NULL,
        sid            text,
        nonce          text,
        claims         text,
        redirect_uri   text NOT NULL,
        code_challenge text,
        client_authentication_required boolean NOT NULL,
        expires_at     bigint NOT NULL,
        grant_id       text,
        PRIMARY KEY (app, code_hash)
      ) PARTITION BY RANGE (code_hash);
      -- Codes on their way end with the session or the user they came from.
      CREATE INDEX codes_by_user ON codes (sub);

      CREATE TABLE access_tokens (
        app        text NOT NULL,
        token_hash bytea NOT NULL,
        grant_id   text NOT NULL,
        client_id  text NOT NULL,
        sub        text NOT NULL,
        scope      text NOT NULL,
        claims     text,
        issued_at  bigint NOT NULL,
        expires_at bigint NOT NULL,
        PRIMARY KEY (app, token_hash)
      ) PARTITION BY RANGE (token_hash);

      CREATE TABLE refresh_tokens (
        app            text NOT NULL,
        token_hash     bytea NOT NULL,
        grant_id       text NOT NULL,
        issued_at      bigint NOT NULL,
        expires_at     bigint NOT NULL,
        rotated_at     bigint,
        successor_hash bytea,
        PRIMARY KEY (app, token_hash)
      ) PARTITION BY RANGE (token_hash);

      CREATE TABLE consents (
        sub       text NOT NULL REFERENCES users ON DELETE CASCADE,
        app       text NOT NULL,
        client_id text NOT NULL,
        scope     text NOT NULL,
        given_at  bigint NOT NULL,
        PRIMARY KEY (sub, app, client_id)
      );

      CREATE TABLE session_clients (
        sid       text NOT NULL,
        app       text NOT NULL,
        client_id text NOT NULL,
        PRIMARY KEY (sid, app, client_id)
      );

      -- For a while after a session has ended: a request that was on its way gets nothing from it.
      CREATE TABLE ended_sessions (
        sid        text PRIMARY KEY,
        expires_at bigint NOT NULL
      );
      CREATE INDEX ended_sessions_by_end ON ended_sessions (expires_at);

      CREATE TABLE logout_notices (
        id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        app       text NOT NULL,
        client_id text NOT NULL,
        sub       text NOT NULL,
        sid       text NOT NULL,
        due_at    bigint NOT NULL,
        attempts  integer NOT NULL DEFAULT 0
      );
      CREATE INDEX logout_notices_by_due ON logout_notices (due_at);
    `,
  },
  {
    // SQLite alone needed this one: the numbers of both stores stay the same.
    name: '002-keys-by-time',
    sql: '',
  },
  {
    // What the first inspection asked for.
    name: '003-claims-families-keys',
    sql: `
      -- The standard claims of OpenID Connect that have no column of their own, as JSON; NULL for none.
      ALTER TABLE users ADD COLUMN standard_claims text;
      -- A token family ends for good refresh_family_ttl after it began; NULL for older ones, which count from their login.
      ALTER TABLE grants ADD COLUMN started_at bigint;
      -- Whether the client of a code has the refresh grant; by a PKCE verifier alone only the code tells which client it is.
      ALTER TABLE codes ADD COLUMN with_refresh boolean NOT NULL DEFAULT true;
      -- Since when nothing asks for the algorithm of a signing key; NULL for one in use.
      ALTER TABLE signing_keys ADD COLUMN retired_at bigint;
      -- The release before, which does not note it, made a key of every algorithm; those that no client uses have signed nothing.
      ALTER TABLE signing_keys ADD COLUMN has_signed boolean NOT NULL DEFAULT true;
      UPDATE signing_keys SET has_signed = false WHERE NOT EXISTS (
        SELECT 1 FROM clients WHERE clients.app = signing_keys.app
          AND coalesce(metadata::json ->> 'id_token_signed_response_alg', 'ES256') = alg);
      -- When everything that had ended was last deleted, by whichever process: the lag that each of them reports.
      CREATE TABLE purge_state (completed_at bigint NOT NULL);
      INSERT INTO purge_state VALUES (extract(epoch FROM now())::bigint);
    `,
  },
  {
    // Apart from 003, whose lock on users keeps logins waiting: this one lets users be read while their passwords are copied.
    name: '004-credentials',
    sql: `
      -- What users sign in with. Of a password the id is its kind, so that each user has one at most; data is the hash.
      CREATE TABLE credentials (
        sub          text NOT NULL REFERENCES users ON DELETE CASCADE,
        id           text NOT NULL,
        kind         text NOT NULL,
        data         text NOT NULL,
        created_at   bigint NOT NULL,
        last_used_at bigint,
        PRIMARY KEY (sub, id),
        CHECK ((kind = 'password') = (id = 'password'))
      );

      -- The release before reads and writes users.password_hash: until it is gone, the column and the table are kept equal.
      CREATE FUNCTION password_of_user_changed() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF NEW.password_hash IS NULL THEN
          DELETE FROM credentials WHERE sub = NEW.sub AND id = 'password';
        ELSE
          INSERT INTO credentials (sub, id, kind, data, created_at)
            VALUES (NEW.sub, 'password', 'password', NEW.password_hash, NEW.updated_at)
            ON CONFLICT (sub, id) DO UPDATE SET data = excluded.data, created_at = excluded.created_at
            WHERE credentials.data <> excluded.data;
        END IF;
        RETURN NULL;
      END $$;
      CREATE TRIGGER password_inserted_by_former_release AFTER INSERT ON users
        FOR EACH ROW WHEN (NEW.password_hash IS NOT NULL) EXECUTE FUNCTION password_of_user_changed();
      CREATE TRIGGER password_changed_by_former_release AFTER UPDATE OF password_hash ON users
        FOR EACH ROW WHEN (NEW.password_hash IS DISTINCT FROM OLD.password_hash)
        EXECUTE FUNCTION password_of_user_changed();

      INSERT INTO credentials (sub, id, kind, data, created_at)
        SELECT sub, 'password', 'password', password_hash, updated_at FROM users WHERE password_hash IS NOT NULL;

      CREATE FUNCTION password_credential_changed() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF TG_OP = 'DELETE' THEN
          UPDATE users SET password_hash = NULL WHERE sub = OLD.sub AND password_hash IS NOT NULL;
        ELSE
          UPDATE users SET password_hash = NEW.data WHERE sub = NEW.sub AND password_hash IS DISTINCT FROM NEW.data;
        END IF;
        RETURN NULL;
      END $$;
      CREATE TRIGGER password_changed AFTER INSERT OR UPDATE OF data ON credentials
        FOR EACH ROW WHEN (NEW.kind = 'password') EXECUTE FUNCTION password_credential_changed();
      CREATE TRIGGER password_removed AFTER DELETE ON credentials
        FOR EACH ROW WHEN (OLD.kind = 'password') EXECUTE FUNCTION password_credential_changed();
    `,
  },
];
