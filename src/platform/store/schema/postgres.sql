-- The schema of the PostgreSQL store. An empty database is created from this file; migrations (../postgres/schema/migrations.ts) bring an
-- older one to the same schema, and test/store/schema.test.ts fails when the two differ.
--
-- Times are seconds since 1970. Secrets are stored as hashes, private keys encrypted ("sealed"). The key of a table includes the
-- application (app), if the table has one. The purge (../purge.postgres.ts) deletes rows some time after their end.
--
-- A column that came later is the last of its table, as in a database to which a migration added it. COLLATE "C" compares byte by byte:
-- lists have the order of SQLite, whatever the collation of the database.
--
-- Not in this file, because it is made at run time:
-- - the partitions of codes, access_tokens, refresh_tokens, sessions and used_ids, one for each hour, day or week in which their rows end
--   (../postgres/schema/partitions.ts). The key begins with the time of the end, and the purge drops a whole partition. Apart from the key
--   these tables have at most an index by user, so that a write touches few pages.
-- - on a Citus cluster the distribution of the tables (../citus/placement.ts) and the functions on its workers (../citus/functions.citus.ts).
--   The triggers on users and credentials are dropped there: Citus distributes no table with triggers.
-- - unfinished_copy, while `gatehouse copy` writes to the database (src/operators/copy-database/store.ts).


-- ---------------------------------------------------------------------------------------------------------------------------------
-- directory: applications, clients, users
-- ---------------------------------------------------------------------------------------------------------------------------------

-- One row: grows with every change of the configuration, so that processes notice it.
CREATE TABLE registry_version (
  version bigint NOT NULL
);
INSERT INTO registry_version VALUES (1);

-- Applications and their settings (JSON). Deleted 30 days after deleted_at; until then the application is unreachable.
CREATE TABLE applications (
  code         text    PRIMARY KEY,
  name         text    NOT NULL,
  settings     text    NOT NULL,
  deleted_at   bigint,                         -- NULL: not deleted
  keys_pending boolean NOT NULL DEFAULT false, -- an apply file with many applications leaves their signing keys to the server
  logo_hash    text,                           -- the name of the logo in its URL, read with the application
  logo         text                            -- a data: URI of up to 44 KB, read only where it is served and by operators
);
CREATE INDEX applications_with_pending_keys ON applications (code) WHERE keys_pending;

-- Clients of an application and their metadata (JSON). Deleted with their application.
CREATE TABLE clients (
  app         text NOT NULL REFERENCES applications ON DELETE CASCADE,
  client_id   text NOT NULL,
  secret_hash text,
  metadata    text NOT NULL,
  PRIMARY KEY (app, client_id)
);

-- Origins of browser applications, for CORS. Deleted with their client.
CREATE TABLE client_origins (
  app       text NOT NULL,
  origin    text NOT NULL,
  client_id text NOT NULL,
  PRIMARY KEY (app, origin, client_id),
  FOREIGN KEY (app, client_id) REFERENCES clients ON DELETE CASCADE
);
CREATE INDEX client_origins_by_client ON client_origins (app, client_id);

-- User accounts. Deleted by an operator, or when a deletion that the user requested is due (account_deletions).
CREATE TABLE users (
  sub                     text    PRIMARY KEY,
  username                text    NOT NULL,
  nickname                text,
  picture                 text,
  email                   text,
  email_verified          boolean NOT NULL,
  phone_number            text,
  phone_number_verified   boolean NOT NULL,
  password_hash           text,                           -- a copy of the credential 'password', by the triggers below
  disabled                boolean NOT NULL,
  updated_at              bigint  NOT NULL,
  standard_claims         text,                           -- JSON: the claims of OpenID Connect without a column of their own
  require_password_change boolean NOT NULL DEFAULT false,
  require_mfa             boolean NOT NULL DEFAULT false, -- a second factor, whatever the application says
  membership              text,                           -- JSON: { groups: [...], roles: { application: [...] } }
  email_since             bigint,                         -- since when the user has the address; NULL: for long, or there is none
  phone_claimed           boolean                         -- true: typed by the user and not verified, so it is no login name
);
CREATE INDEX users_by_username ON users (username COLLATE "C");

-- User names, e-mail addresses and telephone numbers share one name space, because one field takes them all. Deleted with the user.
CREATE TABLE login_names (
  login_name text PRIMARY KEY,
  sub        text NOT NULL REFERENCES users ON DELETE CASCADE
);
CREATE INDEX login_names_by_user ON login_names (sub);
-- Search by the beginning of a login name.
CREATE INDEX login_names_by_prefix ON login_names (login_name COLLATE "C");


-- ---------------------------------------------------------------------------------------------------------------------------------
-- people: factors, sessions, consents, the account
-- ---------------------------------------------------------------------------------------------------------------------------------

-- What users sign in with. The id of a password is 'password', so that each user has at most one; its data is the hash. Deleted by the
-- user or an operator, and with the user.
CREATE TABLE credentials (
  sub          text    NOT NULL REFERENCES users ON DELETE CASCADE,
  id           text    NOT NULL,
  kind         text    NOT NULL,
  data         text    NOT NULL, -- of a one-time password: the sealed key, behind 8 hexadecimal digits that name the server secret
  created_at   bigint  NOT NULL,
  last_used_at bigint,
  last_step    bigint,           -- the time step of the last one-time password that was accepted (RFC 6238 section 5.2)
  name         text,             -- of a passkey, as the next two (WebAuthn section 6.1)
  sign_count   bigint,
  backed_up    boolean,
  PRIMARY KEY (sub, id),
  CHECK ((kind = 'password') = (id = 'password'))
);
-- A passkey belongs to one user, and is found without knowing whose it is.
CREATE UNIQUE INDEX credentials_by_passkey ON credentials (id) WHERE kind = 'passkey';
CREATE INDEX totp_keys_by_secret ON credentials (substr(data, 1, 8) COLLATE "C") WHERE kind = 'totp';

-- users.password_hash and the credential 'password' are kept equal: a new user is written with the column, later changes with the table.
-- Inserts have a trigger for the statement: one for each row would take a third of the time of an import of users.
CREATE FUNCTION passwords_of_users_inserted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO credentials (sub, id, kind, data, created_at)
    SELECT sub, 'password', 'password', password_hash, updated_at FROM inserted WHERE password_hash IS NOT NULL;
  RETURN NULL;
END $$;
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
CREATE TRIGGER password_inserted_by_former_release AFTER INSERT ON users REFERENCING NEW TABLE AS inserted
  FOR EACH STATEMENT EXECUTE FUNCTION passwords_of_users_inserted();
CREATE TRIGGER password_changed_by_former_release AFTER UPDATE OF password_hash ON users
  FOR EACH ROW WHEN (NEW.password_hash IS DISTINCT FROM OLD.password_hash)
  EXECUTE FUNCTION password_of_user_changed();
CREATE FUNCTION password_credentials_inserted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE users SET password_hash = inserted.data FROM inserted
    WHERE inserted.kind = 'password' AND users.sub = inserted.sub AND users.password_hash IS DISTINCT FROM inserted.data;
  RETURN NULL;
END $$;
CREATE FUNCTION password_credential_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    UPDATE users SET password_hash = NULL WHERE sub = OLD.sub AND password_hash IS NOT NULL;
  ELSE
    UPDATE users SET password_hash = NEW.data WHERE sub = NEW.sub AND password_hash IS DISTINCT FROM NEW.data;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER password_inserted AFTER INSERT ON credentials REFERENCING NEW TABLE AS inserted
  FOR EACH STATEMENT EXECUTE FUNCTION password_credentials_inserted();
CREATE TRIGGER password_changed AFTER UPDATE OF data ON credentials
  FOR EACH ROW WHEN (NEW.kind = 'password') EXECUTE FUNCTION password_credential_changed();
CREATE TRIGGER password_removed AFTER DELETE ON credentials
  FOR EACH ROW WHEN (OLD.kind = 'password') EXECUTE FUNCTION password_credential_changed();

-- How many codes of a second factor were compared in one sign-in. Rows exist only after a correct password. Purged at their end.
CREATE TABLE second_factor_attempts (
  sign_in    text COLLATE "C" PRIMARY KEY,
  attempts   bigint           NOT NULL,
  expires_at bigint           NOT NULL
);
CREATE INDEX second_factor_attempts_by_end ON second_factor_attempts (expires_at);

-- Browsers that skip the second factor. Deleted by the user or an operator, with the user, and purged at their end.
CREATE TABLE trusted_browsers (
  id           text COLLATE "C" PRIMARY KEY,
  token_hash   text COLLATE "C" NOT NULL,
  sub          text COLLATE "C" NOT NULL REFERENCES users (sub) ON DELETE CASCADE,
  user_agent   text,
  created_at   bigint           NOT NULL,
  last_used_at bigint,
  expires_at   bigint           NOT NULL
);
CREATE UNIQUE INDEX trusted_browsers_by_token ON trusted_browsers (token_hash);
CREATE INDEX trusted_browsers_by_user ON trusted_browsers (sub);
CREATE INDEX trusted_browsers_by_end ON trusted_browsers (expires_at);

-- How many mails about new browsers a user got before window_ends_at. A row from the first sign-in on; deleted with the user.
CREATE TABLE browser_notices (
  sub            text COLLATE "C" PRIMARY KEY REFERENCES users (sub) ON DELETE CASCADE,
  notices        bigint           NOT NULL,
  window_ends_at bigint           NOT NULL
);

-- Sessions of browsers. Deleted by a logout, and purged when they have been idle for too long.
CREATE TABLE sessions (
  id_hash         bytea  PRIMARY KEY,
  sid             text   NOT NULL,
  sub             text   NOT NULL,
  auth_time       bigint NOT NULL,
  amr             text   NOT NULL,
  opened_by       text   NOT NULL, -- the request whose login form opened it
  idle_expires_at bigint NOT NULL,
  expires_at      bigint NOT NULL,
  user_agent      text,            -- of the last sign-in, as the address
  address         text,
  started_at      bigint           -- when the browser first signed in as this user
) PARTITION BY RANGE (id_hash);
CREATE INDEX sessions_by_user ON sessions (sub);

-- Which clients took part in a session, for the notices at its logout. Deleted with the session.
CREATE TABLE session_clients (
  sid       text NOT NULL,
  app       text NOT NULL,
  client_id text NOT NULL,
  PRIMARY KEY (sid, app, client_id)
);

-- Sessions that have just ended: a request that was under way gets nothing from them. Purged at their end, an hour later.
CREATE TABLE ended_sessions (
  sid        text   PRIMARY KEY,
  expires_at bigint NOT NULL
);
CREATE INDEX ended_sessions_by_end ON ended_sessions (expires_at);

-- Login forms that were used, and stay used after the session that they opened was replaced. Purged at their end.
CREATE TABLE spent_logins (
  pending_id text   PRIMARY KEY,
  expires_at bigint NOT NULL
);
CREATE INDEX spent_logins_by_end ON spent_logins (expires_at);

-- Consents of users to clients. Deleted when they are withdrawn, and with the user.
CREATE TABLE consents (
  sub       text   NOT NULL REFERENCES users ON DELETE CASCADE,
  app       text   NOT NULL,
  client_id text   NOT NULL,
  scope     text   NOT NULL,
  given_at  bigint NOT NULL,
  PRIMARY KEY (sub, app, client_id)
);
-- For the job that deletes clients that nobody uses. With the user, so that a lookup of one consent reads one row by either index.
CREATE INDEX consents_by_client ON consents (app, client_id, sub);

-- Links by which users set a new password, one for each user. Deleted when they are used, with the user, and purged at their end.
CREATE TABLE password_resets (
  sub        text COLLATE "C" PRIMARY KEY REFERENCES users (sub) ON DELETE CASCADE,
  token_hash bytea            NOT NULL,
  links      bigint           NOT NULL,              -- how many the user got while one was valid
  expires_at bigint           NOT NULL,
  context    text,                                   -- JSON: the application, and the sign-in that waits
  invitation boolean          NOT NULL DEFAULT false -- the link welcomes a user that an operator has invited
);
CREATE UNIQUE INDEX password_resets_by_token ON password_resets (token_hash);
CREATE INDEX password_resets_by_end ON password_resets (expires_at);

-- E-mail addresses that wait for their confirmation. Deleted when they are confirmed, with the user, and purged at their end.
CREATE TABLE email_confirmations (
  id         text COLLATE "C" PRIMARY KEY, -- of the pending request that waits for the code
  token_hash bytea            NOT NULL,
  sub        text COLLATE "C" REFERENCES users (sub) ON DELETE CASCADE, -- NULL: a sign-up
  sealed     bytea            NOT NULL,    -- the code and what is confirmed
  mails      bigint           NOT NULL,
  expires_at bigint           NOT NULL
);
CREATE UNIQUE INDEX email_confirmations_by_token ON email_confirmations (token_hash);
CREATE INDEX email_confirmations_by_sub ON email_confirmations (sub);
CREATE INDEX email_confirmations_by_end ON email_confirmations (expires_at);

-- How many confirmations an address got; the address as a keyed hash. Purged at their end.
CREATE TABLE address_mails (
  address    text COLLATE "C" PRIMARY KEY,
  mails      bigint           NOT NULL,
  expires_at bigint           NOT NULL
);
CREATE INDEX address_mails_by_end ON address_mails (expires_at);

-- Links that undo a change of the e-mail address. Deleted when they are used or end with the user's access, and purged at their end.
CREATE TABLE email_undos (
  token_hash bytea            PRIMARY KEY,
  sub        text COLLATE "C" NOT NULL REFERENCES users (sub) ON DELETE CASCADE,
  email      text             NOT NULL, -- the former address
  username   text,                      -- the former user name, where it was the address and changed with it
  changed_at bigint           NOT NULL,
  expires_at bigint           NOT NULL,
  id         text
);
CREATE INDEX email_undos_by_sub ON email_undos (sub);
CREATE INDEX email_undos_by_end ON email_undos (expires_at);

-- Accounts whose users requested their deletion: they are disabled until it is due. Deleted with the user, or when it is cancelled.
CREATE TABLE account_deletions (
  sub    text COLLATE "C" PRIMARY KEY REFERENCES users (sub) ON DELETE CASCADE,
  due_at bigint           NOT NULL
);
CREATE INDEX account_deletions_by_due ON account_deletions (due_at);


-- ---------------------------------------------------------------------------------------------------------------------------------
-- oauth: codes, token families, tokens, signing keys, registrations
-- ---------------------------------------------------------------------------------------------------------------------------------

-- Authorization codes. Purged a day after their end, so that a late replay is recognised.
CREATE TABLE codes (
  app            text    NOT NULL,
  code_hash      bytea   NOT NULL,
  client_id      text    NOT NULL,
  sub            text    NOT NULL,
  scope          text    NOT NULL,
  auth_time      bigint  NOT NULL,
  amr            text    NOT NULL,
  sid            text,
  nonce          text,
  claims         text,                          -- JSON: claims that were requested one by one
  redirect_uri   text    NOT NULL,
  code_challenge text,
  client_authentication_required boolean NOT NULL,
  expires_at     bigint  NOT NULL,
  grant_id       text,                          -- NULL: not redeemed
  with_refresh   boolean NOT NULL DEFAULT true, -- the client has the refresh grant; a PKCE verifier alone does not tell the client
  resources      text,                          -- APIs (RFC 8707), separated by spaces
  PRIMARY KEY (app, code_hash)
) PARTITION BY RANGE (code_hash);
-- Codes that are not redeemed end with the session or the user that they came from.
CREATE INDEX codes_by_user ON codes (sub);

-- Token families: what a code or a device authorization was redeemed for. Purged a day after the end of their last token.
CREATE TABLE grants (
  app        text   NOT NULL,
  grant_id   text   NOT NULL,
  client_id  text   NOT NULL,
  sub        text   NOT NULL,
  scope      text   NOT NULL,
  auth_time  bigint NOT NULL,
  amr        text   NOT NULL,
  sid        text,
  claims     text,   -- JSON: claims that were requested one by one
  revoked_at bigint,
  expires_at bigint NOT NULL,
  started_at bigint, -- the family ends refresh_family_ttl later
  resources  text,   -- APIs (RFC 8707), separated by spaces
  PRIMARY KEY (app, grant_id)
);
CREATE INDEX grants_by_end ON grants (expires_at);
CREATE INDEX grants_by_user ON grants (sub, app, client_id);
CREATE INDEX grants_by_session ON grants (sid) WHERE sid IS NOT NULL;

-- The few families that were revoked: a lookup of an access token need not read the many that were not. Purged as grants.
CREATE TABLE revoked_grants (
  app        text   NOT NULL,
  grant_id   text   NOT NULL,
  expires_at bigint NOT NULL,
  PRIMARY KEY (app, grant_id)
);
CREATE INDEX revoked_grants_by_end ON revoked_grants (expires_at);

-- Revocations of replayed codes and refresh tokens that failed and wait to be repeated. app: on Citus the part of the application.
-- Deleted when they are done.
CREATE TABLE waiting_revocations (
  app           text   NOT NULL,
  grant_id      text   NOT NULL,
  replayed_at   bigint NOT NULL,
  event         text,  -- JSON
  unless_issued bytea, -- the access token whose existence shows that it was no replay
  due_at        bigint NOT NULL,
  attempts      bigint NOT NULL,
  PRIMARY KEY (app, grant_id)
);

-- Access tokens. Introspection answers from this row alone. Purged at their end.
CREATE TABLE access_tokens (
  app        text   NOT NULL,
  token_hash bytea  NOT NULL,
  grant_id   text   NOT NULL,
  client_id  text   NOT NULL,
  sub        text   NOT NULL,
  scope      text   NOT NULL,
  claims     text,
  issued_at  bigint NOT NULL,
  expires_at bigint NOT NULL,
  auth_time  bigint,
  amr        text,
  audience   text, -- the API that it is for; NULL: none
  exchange   text, -- JSON of an exchanged token: how often, what was withheld, and who acts
  PRIMARY KEY (app, token_hash)
) PARTITION BY RANGE (token_hash);

-- Refresh tokens. Purged at their end.
CREATE TABLE refresh_tokens (
  app            text   NOT NULL,
  token_hash     bytea  NOT NULL,
  grant_id       text   NOT NULL,
  issued_at      bigint NOT NULL,
  expires_at     bigint NOT NULL,
  rotated_at     bigint,
  successor_hash bytea,
  PRIMARY KEY (app, token_hash)
) PARTITION BY RANGE (token_hash);

-- From which token an exchanged token came (RFC 8693): revoking the first ends the second, and so does the end of its client. Purged at
-- their end.
CREATE TABLE token_exchanges (
  app          text   NOT NULL,
  token_hash   bytea  NOT NULL,
  subject_hash bytea  NOT NULL,
  client_id    text   NOT NULL,
  expires_at   bigint NOT NULL,
  PRIMARY KEY (app, token_hash)
);
CREATE INDEX token_exchanges_by_subject ON token_exchanges (app, subject_hash);
CREATE INDEX token_exchanges_by_client ON token_exchanges (app, client_id);
CREATE INDEX token_exchanges_by_end ON token_exchanges (expires_at);

-- Pushed authorization requests (RFC 9126). Purged at their end.
CREATE TABLE pushed_requests (
  id_hash    bytea  PRIMARY KEY,
  app        text   NOT NULL,
  client_id  text   NOT NULL,
  sealed     bytea  NOT NULL,
  expires_at bigint NOT NULL
);
CREATE INDEX pushed_requests_by_end ON pushed_requests (expires_at);

-- Device authorizations (RFC 8628). Deleted with the user, and purged an hour after their end: a device that polls late is told that its
-- code has expired.
CREATE TABLE device_authorizations (
  device_hash    bytea            PRIMARY KEY,
  user_code_hash text             NOT NULL UNIQUE,
  app            text             NOT NULL,
  client_id      text             NOT NULL,
  scope          text             NOT NULL,
  resources      text,
  address        text             NOT NULL,
  created_at     bigint           NOT NULL,
  expires_at     bigint           NOT NULL,
  state          text             NOT NULL,
  poll_interval  bigint           NOT NULL,
  polled_at      bigint,
  sub            text COLLATE "C" REFERENCES users (sub) ON DELETE CASCADE, -- set with the approval, as the next two
  auth_time      bigint,
  amr            text,
  grant_id       text -- set when it is redeemed
);
CREATE INDEX device_authorizations_by_end ON device_authorizations (expires_at);
CREATE INDEX device_authorizations_by_user ON device_authorizations (sub) WHERE sub IS NOT NULL;
CREATE INDEX device_authorizations_by_client ON device_authorizations (app, client_id) WHERE state = 'approved';

-- Signing keys of applications. Deleted by the rotation when no valid token can have their signature, and with their application.
CREATE TABLE signing_keys (
  app                text    NOT NULL REFERENCES applications ON DELETE CASCADE,
  kid                text    NOT NULL,
  alg                text    NOT NULL,
  public_jwk         text    NOT NULL,
  sealed_private_key bytea   NOT NULL,
  created_at         bigint  NOT NULL,
  sign_from          bigint  NOT NULL,
  retired_at         bigint, -- since when no client uses its algorithm; NULL: one does
  has_signed         boolean NOT NULL DEFAULT true,
  PRIMARY KEY (app, kid)
);

-- Clients that no operator has set: by dynamic registration (RFC 7591), or by a document that they publish. Deleted with the client,
-- which a job deletes when nobody has used it for long.
CREATE TABLE client_registrations (
  app        text   NOT NULL,
  client_id  text   NOT NULL,
  token_hash bytea,  -- of the registration access token; NULL: the client publishes its metadata itself
  created_at bigint NOT NULL,
  used_at    bigint, -- when a user last agreed to a request of it; NULL: never
  PRIMARY KEY (app, client_id),
  FOREIGN KEY (app, client_id) REFERENCES clients ON DELETE CASCADE
);
CREATE INDEX client_registrations_by_use ON client_registrations (coalesce(used_at, created_at));

-- Tokens that operators hand to developers, for dynamic registration. Deleted by an operator, and with their application.
CREATE TABLE initial_access_tokens (
  app        text   NOT NULL REFERENCES applications ON DELETE CASCADE,
  id         text   NOT NULL,
  name       text   NOT NULL,
  token_hash bytea  NOT NULL UNIQUE,
  created_at bigint NOT NULL,
  expires_at bigint,
  PRIMARY KEY (app, id)
);


-- ---------------------------------------------------------------------------------------------------------------------------------
-- operators: who may administer, and how
-- ---------------------------------------------------------------------------------------------------------------------------------

-- Users that may administer. applications: JSON array of codes; NULL: all. Deleted by an operator, and with the user.
CREATE TABLE operators (
  sub          text   PRIMARY KEY REFERENCES users ON DELETE CASCADE,
  role         text   NOT NULL,
  applications text,
  created_at   bigint NOT NULL
);

-- Keys of the admin API. applications: JSON array of codes; NULL: all. Deleted by an operator.
CREATE TABLE api_keys (
  id           text COLLATE "C" PRIMARY KEY,
  name         text             NOT NULL,
  key_hash     bytea            NOT NULL UNIQUE,
  role         text             NOT NULL,
  applications text,
  created_at   bigint           NOT NULL,
  expires_at   bigint,
  last_used_at bigint
);

-- One row: the newest link for the first owner. The next start without an owner replaces it.
CREATE TABLE owner_link (
  id         bigint PRIMARY KEY CHECK (id = 1),
  token_hash bytea  NOT NULL,
  expires_at bigint NOT NULL
);

-- The processes that serve. A process deletes its row when it stops; others are purged a day after their last sign of life.
CREATE TABLE nodes (
  host       text COLLATE "C" NOT NULL,
  port       integer          NOT NULL,
  version    text             NOT NULL,
  started_at bigint           NOT NULL,
  seen_at    bigint           NOT NULL,
  PRIMARY KEY (host, port)
);


-- ---------------------------------------------------------------------------------------------------------------------------------
-- audit: events, refusals, statistics
-- ---------------------------------------------------------------------------------------------------------------------------------

-- The audit log. The id begins with the time. seq and hash are NULL until the row is sealed into the chain. Pruned from its beginning
-- when the retention that the operator has set is over.
CREATE TABLE events (
  id         text COLLATE "C" PRIMARY KEY,
  time       bigint           NOT NULL,
  type       text             NOT NULL,
  outcome    text             NOT NULL,
  actor_kind text             NOT NULL,
  actor      text,
  subject    text,
  app        text,
  client_id  text,
  address    text,
  user_agent text,
  request_id text,
  details    text,
  seq        bigint,
  hash       bytea
);
CREATE UNIQUE INDEX events_by_seq ON events (seq) WHERE seq IS NOT NULL;
CREATE INDEX events_unsealed ON events (id) WHERE seq IS NULL;
-- "POSIX" compares as "C" does. The order by it tells the planner to use these and not the primary key (src/audit/events/queries.ts).
CREATE INDEX events_by_app ON events (app, id COLLATE "POSIX") WHERE app IS NOT NULL;
CREATE INDEX events_by_client ON events (client_id, id COLLATE "POSIX") WHERE client_id IS NOT NULL;
CREATE INDEX events_by_subject ON events (subject, id COLLATE "POSIX") WHERE subject IS NOT NULL;
CREATE INDEX events_by_type ON events (type, id COLLATE "POSIX");
CREATE INDEX events_by_operator ON events (actor, id COLLATE "POSIX") WHERE actor_kind = 'operator';
CREATE INDEX events_by_request ON events (request_id) WHERE request_id IS NOT NULL;

-- One row: how far the chain is sealed, and how far its beginning was pruned.
CREATE TABLE event_chain (
  id          integer PRIMARY KEY CHECK (id = 1),
  last_seq    bigint  NOT NULL,
  last_hash   bytea   NOT NULL,
  pruned_seq  bigint  NOT NULL,
  pruned_hash bytea   NOT NULL,
  mac         bytea   NOT NULL
);

-- What explain tells of a refused request. app '': of no application. data: JSON, secrets masked. Purged after seven days.
CREATE TABLE refusals (
  request_id text COLLATE "C" PRIMARY KEY,
  app        text             NOT NULL,
  time       bigint           NOT NULL,
  reason     text             NOT NULL,
  data       text             NOT NULL
);
CREATE INDEX refusals_by_app ON refusals (app, time);
CREATE INDEX refusals_by_time ON refusals (time);

-- Counters by hour and by day. app '*': of the whole deployment. data: JSON, counters by group and name. Purged at their end.
CREATE TABLE statistics (
  app        text COLLATE "C" NOT NULL,
  step       text COLLATE "C" NOT NULL, -- 'hour' or 'day'
  time       bigint           NOT NULL, -- its beginning
  data       text             NOT NULL,
  expires_at bigint           NOT NULL,
  PRIMARY KEY (app, step, time)
);
CREATE INDEX statistics_by_end ON statistics (expires_at);

-- The last batch that each process has added, so that a batch that is sent again is not added twice. Purged at their end.
CREATE TABLE statistics_writers (
  writer     text COLLATE "C" PRIMARY KEY,
  seq        bigint           NOT NULL,
  expires_at bigint           NOT NULL
);
CREATE INDEX statistics_writers_by_end ON statistics_writers (expires_at);

-- Answers to requests with an Idempotency-Key, encrypted: an answer may hold a secret that is shown once. Purged at their end.
CREATE TABLE idempotent_answers (
  caller        text   NOT NULL,
  key           text   NOT NULL,
  request_hash  bytea  NOT NULL,
  sealed_answer bytea  NOT NULL,
  expires_at    bigint NOT NULL,
  PRIMARY KEY (caller, key)
);
CREATE INDEX idempotent_answers_by_end ON idempotent_answers (expires_at);


-- ---------------------------------------------------------------------------------------------------------------------------------
-- notify: queues of mails, webhooks and logout notices
-- ---------------------------------------------------------------------------------------------------------------------------------

-- Mails that wait to be sent; sealed: recipient and content. Deleted when they are sent or given up, and purged an hour after their end.
CREATE TABLE mails (
  id         text COLLATE "C" PRIMARY KEY,
  sealed     bytea            NOT NULL,
  attempts   bigint           NOT NULL,
  due_at     bigint           NOT NULL,
  created_at bigint           NOT NULL,
  expires_at bigint           NOT NULL
);
CREATE INDEX mails_by_due ON mails (due_at);
CREATE INDEX mails_by_end ON mails (expires_at);

-- Back-channel logout notices that wait to be sent. Deleted when they are sent or given up.
CREATE TABLE logout_notices (
  id        bigint  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  app       text    NOT NULL,
  client_id text    NOT NULL,
  sub       text    NOT NULL,
  sid       text    NOT NULL,
  due_at    bigint  NOT NULL,
  attempts  integer NOT NULL DEFAULT 0
);
CREATE INDEX logout_notices_by_due ON logout_notices (due_at);

-- Subscriptions of webhooks. Deleted by an operator.
CREATE TABLE webhooks (
  id             text COLLATE "C" PRIMARY KEY,
  app            text,                      -- NULL: events of all applications
  url            text             NOT NULL,
  description    text             NOT NULL,
  event_types    text             NOT NULL,
  ordered        boolean          NOT NULL,
  sealed_secrets bytea            NOT NULL,
  pause_reason   text,                      -- NULL: active
  failing_since  bigint,
  next_seq       bigint           NOT NULL, -- the first event that has not been looked at
  created_at     bigint           NOT NULL
);

-- Deliveries of events to webhooks. Deleted with their webhook, and purged 30 days after they are finished.
CREATE TABLE webhook_deliveries (
  id          text COLLATE "C" PRIMARY KEY,
  webhook_id  text COLLATE "C" NOT NULL REFERENCES webhooks ON DELETE CASCADE,
  event_id    text             NOT NULL,
  type        text             NOT NULL,
  seq         bigint           NOT NULL, -- of the event; 0: a test or a repetition, which has no place in the order
  body        text             NOT NULL,
  state       text             NOT NULL,
  attempts    bigint           NOT NULL,
  due_at      bigint,                    -- NULL: finished
  status      bigint,
  reason      text,
  created_at  bigint           NOT NULL,
  finished_at bigint
);
CREATE INDEX webhook_deliveries_by_webhook ON webhook_deliveries (webhook_id, id);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_id, due_at) WHERE finished_at IS NULL;
CREATE INDEX webhook_deliveries_in_order ON webhook_deliveries (webhook_id, seq) WHERE finished_at IS NULL;
CREATE INDEX webhook_deliveries_finished ON webhook_deliveries (finished_at) WHERE finished_at IS NOT NULL;


-- ---------------------------------------------------------------------------------------------------------------------------------
-- platform: single use, throttling, migrations, the purge
-- ---------------------------------------------------------------------------------------------------------------------------------

-- Identifiers that are valid once and were used. The key begins with the time after which it is no longer needed. Not unlogged: such a
-- table is empty after a crash, and an assertion that was used before it would be valid again. Purged ten minutes after that time.
CREATE TABLE used_ids (
  key     bytea PRIMARY KEY,
  call_id bytea              -- of the call that used it: repeated after a lost connection, it finds its own row
) PARTITION BY RANGE (key);

-- Counts of failed attempts that all nodes share. Unlogged: after a crash or a fail-over the counts begin anew, and a failed login waits
-- for no sync. Purged when the allowance is full again.
CREATE UNLOGGED TABLE failed_attempts (
  key     text COLLATE "C" PRIMARY KEY,
  full_at bigint           NOT NULL
);
CREATE INDEX failed_attempts_by_end ON failed_attempts (full_at);

-- What the database has run: the number and name of this file, and of each migration. Never deleted.
CREATE TABLE IF NOT EXISTS schema_migrations ( -- a start that was interrupted may have left it, empty
  number     integer     PRIMARY KEY,
  name       text        NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT now()
);

-- One row: when everything that had ended was last deleted, by whichever process.
CREATE TABLE purge_state (
  completed_at bigint NOT NULL
);
INSERT INTO purge_state VALUES (extract(epoch FROM now())::bigint);
