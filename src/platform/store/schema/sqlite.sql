-- The schema of the embedded store. An empty database is created from this file; migrations (../sqlite/schema/migrations.ts) bring an
-- older one to the same schema, and test/store/schema.test.ts fails when the two differ.
--
-- Times are seconds since 1970, booleans are 0 and 1. Secrets are stored as hashes, private keys encrypted ("sealed"). The key of a
-- table includes the application (app), if the table has one. The purge (../purge.sqlite.ts) deletes rows some time after their end.
--
-- A column that came later is the last of its table, as in a database to which a migration added it.


-- ---------------------------------------------------------------------------------------------------------------------------------
-- directory: applications, clients, users
-- ---------------------------------------------------------------------------------------------------------------------------------

-- One row: grows with every change of the configuration, so that processes notice it.
CREATE TABLE registry_version (
  version INTEGER NOT NULL
) STRICT;
INSERT INTO registry_version VALUES (1);

-- Applications and their settings (JSON). Deleted 30 days after deleted_at; until then the application is unreachable.
CREATE TABLE applications (
  code         TEXT    PRIMARY KEY,
  name         TEXT    NOT NULL,
  settings     TEXT    NOT NULL,
  deleted_at   INTEGER,                    -- NULL: not deleted
  keys_pending INTEGER NOT NULL DEFAULT 0, -- an apply file with many applications leaves their signing keys to the server
  logo_hash    TEXT,                       -- the name of the logo in its URL, read with the application
  logo         TEXT                        -- a data: URI of up to 44 KB, read only where it is served and by operators
) STRICT, WITHOUT ROWID;
CREATE INDEX applications_with_pending_keys ON applications (code) WHERE keys_pending;

-- Clients of an application and their metadata (JSON). Deleted with their application.
CREATE TABLE clients (
  app         TEXT NOT NULL REFERENCES applications ON DELETE CASCADE,
  client_id   TEXT NOT NULL,
  secret_hash TEXT,
  metadata    TEXT NOT NULL,
  PRIMARY KEY (app, client_id)
) STRICT, WITHOUT ROWID;

-- Origins of browser applications, for CORS. Deleted with their client.
CREATE TABLE client_origins (
  app       TEXT NOT NULL,
  origin    TEXT NOT NULL,
  client_id TEXT NOT NULL,
  PRIMARY KEY (app, origin, client_id),
  FOREIGN KEY (app, client_id) REFERENCES clients ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX client_origins_by_client ON client_origins (app, client_id);

-- User accounts. Deleted by an operator, or when a deletion that the user requested is due (account_deletions).
CREATE TABLE users (
  sub                     TEXT    PRIMARY KEY,
  username                TEXT    NOT NULL,
  nickname                TEXT,
  picture                 TEXT,
  email                   TEXT,
  email_verified          INTEGER NOT NULL,
  phone_number            TEXT,
  phone_number_verified   INTEGER NOT NULL,
  password_hash           TEXT,                       -- a copy of the credential 'password', by the triggers below
  disabled                INTEGER NOT NULL,
  updated_at              INTEGER NOT NULL,
  standard_claims         TEXT,                       -- JSON: the claims of OpenID Connect without a column of their own
  require_password_change INTEGER NOT NULL DEFAULT 0,
  require_mfa             INTEGER NOT NULL DEFAULT 0, -- a second factor, whatever the application says
  membership              TEXT,                       -- JSON: { groups: [...], roles: { application: [...] } }
  email_since             INTEGER,                    -- since when the user has the address; NULL: for long, or there is none
  phone_claimed           INTEGER                     -- 1: typed by the user and not verified, so it is no login name
) STRICT, WITHOUT ROWID;
CREATE INDEX users_by_username ON users (username);

-- User names, e-mail addresses and telephone numbers share one name space, because one field takes them all. Deleted with the user.
CREATE TABLE login_names (
  login_name TEXT PRIMARY KEY,
  sub        TEXT NOT NULL REFERENCES users ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX login_names_by_user ON login_names (sub);


-- ---------------------------------------------------------------------------------------------------------------------------------
-- people: factors, sessions, consents, the account
-- ---------------------------------------------------------------------------------------------------------------------------------

-- What users sign in with. The id of a password is 'password', so that each user has at most one; its data is the hash. Deleted by the
-- user or an operator, and with the user.
CREATE TABLE credentials (
  sub          TEXT    NOT NULL REFERENCES users ON DELETE CASCADE,
  id           TEXT    NOT NULL,
  kind         TEXT    NOT NULL,
  data         TEXT    NOT NULL, -- of a one-time password: the sealed key, behind 8 hexadecimal digits that name the server secret
  created_at   INTEGER NOT NULL,
  last_used_at INTEGER,
  last_step    INTEGER,          -- the time step of the last one-time password that was accepted (RFC 6238 section 5.2)
  name         TEXT,             -- of a passkey, as the next two (WebAuthn section 6.1)
  sign_count   INTEGER,
  backed_up    INTEGER,
  PRIMARY KEY (sub, id),
  CHECK ((kind = 'password') = (id = 'password'))
) STRICT, WITHOUT ROWID;
-- A passkey belongs to one user, and is found without knowing whose it is.
CREATE UNIQUE INDEX credentials_by_passkey ON credentials (id) WHERE kind = 'passkey';
CREATE INDEX totp_keys_by_secret ON credentials (substr(data, 1, 8)) WHERE kind = 'totp';

-- users.password_hash and the credential 'password' are kept equal: a new user is written with the column, later changes with the table.
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

-- How many codes of a second factor were compared in one sign-in. Rows exist only after a correct password. Purged at their end.
CREATE TABLE second_factor_attempts (
  sign_in    TEXT    PRIMARY KEY,
  attempts   INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX second_factor_attempts_by_end ON second_factor_attempts (expires_at);

-- Browsers that skip the second factor. Deleted by the user or an operator, with the user, and purged at their end.
CREATE TABLE trusted_browsers (
  id           TEXT    PRIMARY KEY,
  token_hash   TEXT    NOT NULL,
  sub          TEXT    NOT NULL REFERENCES users (sub) ON DELETE CASCADE,
  user_agent   TEXT,
  created_at   INTEGER NOT NULL,
  last_used_at INTEGER,
  expires_at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX trusted_browsers_by_token ON trusted_browsers (token_hash);
CREATE INDEX trusted_browsers_by_user ON trusted_browsers (sub);
CREATE INDEX trusted_browsers_by_end ON trusted_browsers (expires_at);

-- How many mails about new browsers a user got before window_ends_at. A row from the first sign-in on; deleted with the user.
CREATE TABLE browser_notices (
  sub            TEXT    PRIMARY KEY REFERENCES users (sub) ON DELETE CASCADE,
  notices        INTEGER NOT NULL,
  window_ends_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Sessions of browsers. Deleted by a logout, and purged when they have been idle for too long.
CREATE TABLE sessions (
  id_hash         BLOB    PRIMARY KEY,
  sid             TEXT    NOT NULL,
  sub             TEXT    NOT NULL,
  auth_time       INTEGER NOT NULL,
  amr             TEXT    NOT NULL,
  opened_by       TEXT    NOT NULL, -- the request whose login form opened it
  idle_expires_at INTEGER NOT NULL,
  expires_at      INTEGER NOT NULL,
  user_agent      TEXT,             -- of the last sign-in, as the address
  address         TEXT,
  started_at      INTEGER           -- when the browser first signed in as this user
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_by_end ON sessions (idle_expires_at);
CREATE INDEX sessions_by_user ON sessions (sub);

-- Which clients took part in a session, for the notices at its logout. Deleted with the session.
CREATE TABLE session_clients (
  sid       TEXT NOT NULL,
  app       TEXT NOT NULL,
  client_id TEXT NOT NULL,
  PRIMARY KEY (sid, app, client_id)
) STRICT, WITHOUT ROWID;

-- Sessions that have just ended: a request that was under way gets nothing from them. Purged at their end, an hour later.
CREATE TABLE ended_sessions (
  sid        TEXT    PRIMARY KEY,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX ended_sessions_by_end ON ended_sessions (expires_at);

-- Login forms that were used, and stay used after the session that they opened was replaced. Purged at their end.
CREATE TABLE spent_logins (
  pending_id TEXT    PRIMARY KEY,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX spent_logins_by_end ON spent_logins (expires_at);

-- Consents of users to clients. Deleted when they are withdrawn, and with the user.
CREATE TABLE consents (
  sub       TEXT    NOT NULL REFERENCES users ON DELETE CASCADE,
  app       TEXT    NOT NULL,
  client_id TEXT    NOT NULL,
  scope     TEXT    NOT NULL,
  given_at  INTEGER NOT NULL,
  PRIMARY KEY (sub, app, client_id)
) STRICT, WITHOUT ROWID;
-- For the job that deletes clients that nobody uses. With the user, so that a lookup of one consent reads one row by either index.
CREATE INDEX consents_by_client ON consents (app, client_id, sub);

-- The last withdrawal of a consent. A code with another withdrawal, or with none, was issued before it and is refused. Purged at its
-- end, which is later than that of any such code.
CREATE TABLE withdrawn_consents (
  sub        TEXT    NOT NULL,
  app        TEXT    NOT NULL,
  client_id  TEXT    NOT NULL,
  withdrawal TEXT    NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (sub, app, client_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX withdrawn_consents_by_end ON withdrawn_consents (expires_at);

-- Links by which users set a new password, one for each user. Deleted when they are used, with the user, and purged at their end.
CREATE TABLE password_resets (
  sub        TEXT    PRIMARY KEY REFERENCES users (sub) ON DELETE CASCADE,
  token_hash BLOB    NOT NULL,
  links      INTEGER NOT NULL,          -- how many the user got while one was valid
  expires_at INTEGER NOT NULL,
  context    TEXT,                      -- JSON: the application, and the sign-in that waits
  invitation INTEGER NOT NULL DEFAULT 0 -- the link welcomes a user that an operator has invited
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX password_resets_by_token ON password_resets (token_hash);
CREATE INDEX password_resets_by_end ON password_resets (expires_at);

-- E-mail addresses that wait for their confirmation. Deleted when they are confirmed, with the user, and purged at their end.
CREATE TABLE email_confirmations (
  id         TEXT    PRIMARY KEY, -- of the pending request that waits for the code
  token_hash BLOB    NOT NULL,
  sub        TEXT    REFERENCES users (sub) ON DELETE CASCADE, -- NULL: a sign-up
  sealed     BLOB    NOT NULL,    -- the code and what is confirmed
  mails      INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX email_confirmations_by_token ON email_confirmations (token_hash);
CREATE INDEX email_confirmations_by_sub ON email_confirmations (sub);
CREATE INDEX email_confirmations_by_end ON email_confirmations (expires_at);

-- How many confirmations an address got; the address as a keyed hash. Purged at their end.
CREATE TABLE address_mails (
  address    TEXT    PRIMARY KEY,
  mails      INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX address_mails_by_end ON address_mails (expires_at);

-- Links that undo a change of the e-mail address. Deleted when they are used or end with the user's access, and purged at their end.
CREATE TABLE email_undos (
  token_hash BLOB    PRIMARY KEY,
  sub        TEXT    NOT NULL REFERENCES users (sub) ON DELETE CASCADE,
  email      TEXT    NOT NULL, -- the former address
  username   TEXT,             -- the former user name, where it was the address and changed with it
  changed_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  id         TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX email_undos_by_sub ON email_undos (sub);
CREATE INDEX email_undos_by_end ON email_undos (expires_at);

-- Accounts whose users requested their deletion: they are disabled until it is due. Deleted with the user, or when it is cancelled.
CREATE TABLE account_deletions (
  sub    TEXT    PRIMARY KEY REFERENCES users (sub) ON DELETE CASCADE,
  due_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX account_deletions_by_due ON account_deletions (due_at);


-- ---------------------------------------------------------------------------------------------------------------------------------
-- oauth: codes, token families, tokens, signing keys, registrations
-- ---------------------------------------------------------------------------------------------------------------------------------

-- Authorization codes. The hash begins with the time at which the row ends: rows that are issued together are on the same pages, and the
-- purge needs no index. The same holds for tokens. Purged a day after their end, so that a late replay is recognised.
CREATE TABLE codes (
  app            TEXT    NOT NULL,
  code_hash      BLOB    NOT NULL,
  client_id      TEXT    NOT NULL,
  sub            TEXT    NOT NULL,
  scope          TEXT    NOT NULL,
  auth_time      INTEGER NOT NULL,
  amr            TEXT    NOT NULL,
  sid            TEXT,
  nonce          TEXT,
  claims         TEXT,                       -- JSON: claims that were requested one by one
  redirect_uri   TEXT    NOT NULL,
  code_challenge TEXT,
  client_authentication_required INTEGER NOT NULL,
  expires_at     INTEGER NOT NULL,
  grant_id       TEXT,                       -- NULL: not redeemed
  with_refresh   INTEGER NOT NULL DEFAULT 1, -- the client has the refresh grant; a PKCE verifier alone does not tell the client
  withdrawal     TEXT,                       -- the last one of this consent when the code was issued (withdrawn_consents)
  resources      TEXT,                       -- APIs (RFC 8707), separated by spaces
  PRIMARY KEY (code_hash, app)
) STRICT, WITHOUT ROWID;

-- Token families: what a code or a device authorization was redeemed for. Purged a day after the end of their last token.
CREATE TABLE grants (
  app        TEXT    NOT NULL,
  grant_id   TEXT    NOT NULL,
  client_id  TEXT    NOT NULL,
  sub        TEXT    NOT NULL,
  scope      TEXT    NOT NULL,
  auth_time  INTEGER NOT NULL,
  amr        TEXT    NOT NULL,
  sid        TEXT,
  claims     TEXT,             -- JSON: claims that were requested one by one
  revoked_at INTEGER,
  expires_at INTEGER NOT NULL,
  started_at INTEGER,          -- the family ends refresh_family_ttl later
  resources  TEXT,             -- APIs (RFC 8707), separated by spaces
  PRIMARY KEY (app, grant_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX grants_by_end ON grants (expires_at);
CREATE INDEX grants_by_user ON grants (sub, app, client_id);
CREATE INDEX grants_by_session ON grants (sid) WHERE sid IS NOT NULL;

-- The few families that were revoked: a lookup of an access token need not read the many that were not. Purged as grants.
CREATE TABLE revoked_grants (
  app        TEXT    NOT NULL,
  grant_id   TEXT    NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (app, grant_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX revoked_grants_by_end ON revoked_grants (expires_at);
CREATE TRIGGER grant_revoked AFTER UPDATE OF revoked_at ON grants WHEN NEW.revoked_at IS NOT NULL
BEGIN
  INSERT OR IGNORE INTO revoked_grants VALUES (NEW.app, NEW.grant_id, NEW.expires_at);
END;

-- Revocations of replayed codes and refresh tokens that failed in the store that this one was copied from. Deleted when they are done.
CREATE TABLE waiting_revocations (
  app           TEXT    NOT NULL,
  grant_id      TEXT    NOT NULL,
  replayed_at   INTEGER NOT NULL,
  event         TEXT,             -- JSON
  unless_issued BLOB,             -- the access token whose existence shows that it was no replay
  due_at        INTEGER NOT NULL,
  attempts      INTEGER NOT NULL,
  PRIMARY KEY (app, grant_id)
) STRICT, WITHOUT ROWID;

-- Access tokens. Introspection answers from this row alone. Purged at their end.
CREATE TABLE access_tokens (
  app        TEXT    NOT NULL,
  token_hash BLOB    NOT NULL,
  grant_id   TEXT    NOT NULL,
  client_id  TEXT    NOT NULL,
  sub        TEXT    NOT NULL,
  scope      TEXT    NOT NULL,
  claims     TEXT,
  issued_at  INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  auth_time  INTEGER,
  amr        TEXT,
  audience   TEXT,             -- the API that it is for; NULL: none
  exchange   TEXT,             -- JSON of an exchanged token: how often, what was withheld, and who acts
  PRIMARY KEY (token_hash, app)
) STRICT, WITHOUT ROWID;

-- Refresh tokens. Purged at their end.
CREATE TABLE refresh_tokens (
  app            TEXT    NOT NULL,
  token_hash     BLOB    NOT NULL,
  grant_id       TEXT    NOT NULL,
  issued_at      INTEGER NOT NULL,
  expires_at     INTEGER NOT NULL,
  rotated_at     INTEGER,
  successor_hash BLOB,
  PRIMARY KEY (token_hash, app)
) STRICT, WITHOUT ROWID;

-- From which token an exchanged token came (RFC 8693): revoking the first ends the second, and so does the end of its client. Purged at
-- their end.
CREATE TABLE token_exchanges (
  app          TEXT    NOT NULL,
  token_hash   BLOB    NOT NULL,
  subject_hash BLOB    NOT NULL,
  client_id    TEXT    NOT NULL,
  expires_at   INTEGER NOT NULL,
  PRIMARY KEY (app, token_hash)
);
CREATE INDEX token_exchanges_by_subject ON token_exchanges (app, subject_hash);
CREATE INDEX token_exchanges_by_client ON token_exchanges (app, client_id);
CREATE INDEX token_exchanges_by_end ON token_exchanges (expires_at);

-- Pushed authorization requests (RFC 9126). Purged at their end.
CREATE TABLE pushed_requests (
  id_hash    BLOB    PRIMARY KEY,
  app        TEXT    NOT NULL,
  client_id  TEXT    NOT NULL,
  sealed     BLOB    NOT NULL,
  expires_at INTEGER NOT NULL
);
CREATE INDEX pushed_requests_by_end ON pushed_requests (expires_at);

-- Device authorizations (RFC 8628). Deleted with the user, and purged an hour after their end: a device that polls late is told that its
-- code has expired.
CREATE TABLE device_authorizations (
  device_hash    BLOB    PRIMARY KEY,
  user_code_hash TEXT    NOT NULL UNIQUE,
  app            TEXT    NOT NULL,
  client_id      TEXT    NOT NULL,
  scope          TEXT    NOT NULL,
  resources      TEXT,
  address        TEXT    NOT NULL,
  created_at     INTEGER NOT NULL,
  expires_at     INTEGER NOT NULL,
  state          TEXT    NOT NULL,
  poll_interval  INTEGER NOT NULL,
  polled_at      INTEGER,
  sub            TEXT    REFERENCES users (sub) ON DELETE CASCADE, -- set with the approval, as the next two
  auth_time      INTEGER,
  amr            TEXT,
  grant_id       TEXT    -- set when it is redeemed
);
CREATE INDEX device_authorizations_by_end ON device_authorizations (expires_at);
CREATE INDEX device_authorizations_by_user ON device_authorizations (sub) WHERE sub IS NOT NULL;
CREATE INDEX device_authorizations_by_client ON device_authorizations (app, client_id) WHERE state = 'approved';

-- Signing keys of applications. Deleted by the rotation when no valid token can have their signature, and with their application.
CREATE TABLE signing_keys (
  app                TEXT    NOT NULL REFERENCES applications ON DELETE CASCADE,
  kid                TEXT    NOT NULL,
  alg                TEXT    NOT NULL,
  public_jwk         TEXT    NOT NULL,
  sealed_private_key BLOB    NOT NULL,
  created_at         INTEGER NOT NULL,
  sign_from          INTEGER NOT NULL,
  retired_at         INTEGER,                    -- since when no client uses its algorithm; NULL: one does
  has_signed         INTEGER NOT NULL DEFAULT 1,
  PRIMARY KEY (app, kid)
) STRICT, WITHOUT ROWID;

-- Clients that no operator has set: by dynamic registration (RFC 7591), or by a document that they publish. Deleted with the client,
-- which a job deletes when nobody has used it for long.
CREATE TABLE client_registrations (
  app        TEXT    NOT NULL,
  client_id  TEXT    NOT NULL,
  token_hash BLOB,             -- of the registration access token; NULL: the client publishes its metadata itself
  created_at INTEGER NOT NULL,
  used_at    INTEGER,          -- when a user last agreed to a request of it; NULL: never
  PRIMARY KEY (app, client_id),
  FOREIGN KEY (app, client_id) REFERENCES clients ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX client_registrations_by_use ON client_registrations (coalesce(used_at, created_at));

-- Tokens that operators hand to developers, for dynamic registration. Deleted by an operator, and with their application.
CREATE TABLE initial_access_tokens (
  app        TEXT    NOT NULL REFERENCES applications ON DELETE CASCADE,
  id         TEXT    NOT NULL,
  name       TEXT    NOT NULL,
  token_hash BLOB    NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  PRIMARY KEY (app, id)
) STRICT, WITHOUT ROWID;


-- ---------------------------------------------------------------------------------------------------------------------------------
-- operators: who may administer, and how
-- ---------------------------------------------------------------------------------------------------------------------------------

-- Users that may administer. applications: JSON array of codes; NULL: all. Deleted by an operator, and with the user.
CREATE TABLE operators (
  sub          TEXT    PRIMARY KEY REFERENCES users ON DELETE CASCADE,
  role         TEXT    NOT NULL,
  applications TEXT,
  created_at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Keys of the admin API. applications: JSON array of codes; NULL: all. Deleted by an operator.
CREATE TABLE api_keys (
  id           TEXT    PRIMARY KEY,
  name         TEXT    NOT NULL,
  key_hash     BLOB    NOT NULL UNIQUE,
  role         TEXT    NOT NULL,
  applications TEXT,
  created_at   INTEGER NOT NULL,
  expires_at   INTEGER,
  last_used_at INTEGER
) STRICT, WITHOUT ROWID;

-- One row: the newest link for the first owner. The next start without an owner replaces it.
CREATE TABLE owner_link (
  id         INTEGER PRIMARY KEY CHECK (id = 1),
  token_hash BLOB    NOT NULL,
  expires_at INTEGER NOT NULL
);

-- The processes that serve. A process deletes its row when it stops; others are purged a day after their last sign of life.
CREATE TABLE nodes (
  host       TEXT    NOT NULL,
  port       INTEGER NOT NULL,
  version    TEXT    NOT NULL,
  started_at INTEGER NOT NULL,
  seen_at    INTEGER NOT NULL,
  PRIMARY KEY (host, port)
) STRICT, WITHOUT ROWID;


-- ---------------------------------------------------------------------------------------------------------------------------------
-- audit: events, refusals, statistics
-- ---------------------------------------------------------------------------------------------------------------------------------

-- The audit log. The id begins with the time. seq and hash are NULL until the row is sealed into the chain. Pruned from its beginning
-- when the retention that the operator has set is over.
CREATE TABLE events (
  id         TEXT    PRIMARY KEY,
  time       INTEGER NOT NULL,
  type       TEXT    NOT NULL,
  outcome    TEXT    NOT NULL,
  actor_kind TEXT    NOT NULL,
  actor      TEXT,
  subject    TEXT,
  app        TEXT,
  client_id  TEXT,
  address    TEXT,
  user_agent TEXT,
  request_id TEXT,
  details    TEXT,
  seq        INTEGER,
  hash       BLOB
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX events_by_seq ON events (seq) WHERE seq IS NOT NULL;
CREATE INDEX events_unsealed ON events (id) WHERE seq IS NULL;
CREATE INDEX events_by_app ON events (app, id) WHERE app IS NOT NULL;
CREATE INDEX events_by_client ON events (client_id, id) WHERE client_id IS NOT NULL;
CREATE INDEX events_by_subject ON events (subject, id) WHERE subject IS NOT NULL;
CREATE INDEX events_by_type ON events (type, id);
CREATE INDEX events_by_operator ON events (actor, id) WHERE actor_kind = 'operator';
CREATE INDEX events_by_request ON events (request_id) WHERE request_id IS NOT NULL;

-- One row: how far the chain is sealed, and how far its beginning was pruned.
CREATE TABLE event_chain (
  id          INTEGER PRIMARY KEY CHECK (id = 1),
  last_seq    INTEGER NOT NULL,
  last_hash   BLOB    NOT NULL,
  pruned_seq  INTEGER NOT NULL,
  pruned_hash BLOB    NOT NULL,
  mac         BLOB    NOT NULL
) STRICT;

-- What explain tells of a refused request. app '': of no application. data: JSON, secrets masked. Purged after seven days.
CREATE TABLE refusals (
  request_id TEXT    PRIMARY KEY,
  app        TEXT    NOT NULL,
  time       INTEGER NOT NULL,
  reason     TEXT    NOT NULL,
  data       TEXT    NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX refusals_by_app ON refusals (app, time);
CREATE INDEX refusals_by_time ON refusals (time);

-- Counters by hour and by day. app '*': of the whole deployment. data: JSON, counters by group and name. Purged at their end.
CREATE TABLE statistics (
  app        TEXT    NOT NULL,
  step       TEXT    NOT NULL, -- 'hour' or 'day'
  time       INTEGER NOT NULL, -- its beginning
  data       TEXT    NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (app, step, time)
) STRICT, WITHOUT ROWID;
CREATE INDEX statistics_by_end ON statistics (expires_at);

-- The last batch that each process has added, so that a batch that is sent again is not added twice. Purged at their end.
CREATE TABLE statistics_writers (
  writer     TEXT    PRIMARY KEY,
  seq        INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX statistics_writers_by_end ON statistics_writers (expires_at);

-- Answers to requests with an Idempotency-Key, encrypted: an answer may hold a secret that is shown once. Purged at their end.
CREATE TABLE idempotent_answers (
  caller        TEXT    NOT NULL,
  key           TEXT    NOT NULL,
  request_hash  BLOB    NOT NULL,
  sealed_answer BLOB    NOT NULL,
  expires_at    INTEGER NOT NULL,
  PRIMARY KEY (caller, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotent_answers_by_end ON idempotent_answers (expires_at);


-- ---------------------------------------------------------------------------------------------------------------------------------
-- notify: queues of mails, webhooks and logout notices
-- ---------------------------------------------------------------------------------------------------------------------------------

-- Mails that wait to be sent; sealed: recipient and content. Deleted when they are sent or given up, and purged an hour after their end.
CREATE TABLE mails (
  id         TEXT    PRIMARY KEY,
  sealed     BLOB    NOT NULL,
  attempts   INTEGER NOT NULL,
  due_at     INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX mails_by_due ON mails (due_at);
CREATE INDEX mails_by_end ON mails (expires_at);

-- Back-channel logout notices that wait to be sent. Deleted when they are sent or given up.
CREATE TABLE logout_notices (
  id        INTEGER PRIMARY KEY,
  app       TEXT    NOT NULL,
  client_id TEXT    NOT NULL,
  sub       TEXT    NOT NULL,
  sid       TEXT    NOT NULL,
  due_at    INTEGER NOT NULL,
  attempts  INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX logout_notices_by_due ON logout_notices (due_at);

-- Subscriptions of webhooks. Deleted by an operator.
CREATE TABLE webhooks (
  id             TEXT    PRIMARY KEY,
  app            TEXT,             -- NULL: events of all applications
  url            TEXT    NOT NULL,
  description    TEXT    NOT NULL,
  event_types    TEXT    NOT NULL,
  ordered        INTEGER NOT NULL,
  sealed_secrets BLOB    NOT NULL,
  pause_reason   TEXT,             -- NULL: active
  failing_since  INTEGER,
  next_seq       INTEGER NOT NULL, -- the first event that has not been looked at
  created_at     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Deliveries of events to webhooks. Deleted with their webhook, and purged 30 days after they are finished.
CREATE TABLE webhook_deliveries (
  id          TEXT    PRIMARY KEY,
  webhook_id  TEXT    NOT NULL REFERENCES webhooks ON DELETE CASCADE,
  event_id    TEXT    NOT NULL,
  type        TEXT    NOT NULL,
  seq         INTEGER NOT NULL, -- of the event; 0: a test or a repetition, which has no place in the order
  body        TEXT    NOT NULL,
  state       TEXT    NOT NULL,
  attempts    INTEGER NOT NULL,
  due_at      INTEGER,          -- NULL: finished
  status      INTEGER,
  reason      TEXT,
  created_at  INTEGER NOT NULL,
  finished_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX webhook_deliveries_by_webhook ON webhook_deliveries (webhook_id, id);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_id, due_at) WHERE finished_at IS NULL;
CREATE INDEX webhook_deliveries_in_order ON webhook_deliveries (webhook_id, seq) WHERE finished_at IS NULL;
CREATE INDEX webhook_deliveries_finished ON webhook_deliveries (finished_at) WHERE finished_at IS NOT NULL;


-- ---------------------------------------------------------------------------------------------------------------------------------
-- platform: single use, throttling, the purge
-- ---------------------------------------------------------------------------------------------------------------------------------

-- Identifiers that are valid once and were used. The key begins with the time after which it is no longer needed. Purged ten minutes
-- later.
CREATE TABLE used_ids (
  key BLOB PRIMARY KEY
) STRICT, WITHOUT ROWID;

-- Counts of failed attempts that all nodes share; a single process counts in memory. Purged when the allowance is full again.
CREATE TABLE failed_attempts (
  key     TEXT    PRIMARY KEY,
  full_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX failed_attempts_by_end ON failed_attempts (full_at);

-- One row: when everything that had ended was last deleted, by whichever process.
CREATE TABLE purge_state (
  completed_at INTEGER NOT NULL
) STRICT;
INSERT INTO purge_state VALUES (unixepoch());
