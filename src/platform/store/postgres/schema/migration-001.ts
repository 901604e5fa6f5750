/** The tables as the first release created them. Released: never edited. */
export const migration001 = {
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
};
