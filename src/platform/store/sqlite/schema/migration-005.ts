/** Operators and their keys, the audit log, explanations of refusals, webhooks; applications can be deleted and restored. */
export const migration005 = {
  name: '005-operators',
  sql: `
      -- NULL: not deleted. A deleted application is unreachable; its data stays until purge deletes it 30 days later.
      ALTER TABLE applications ADD COLUMN deleted_at INTEGER;
      -- An apply file with many applications leaves most signing keys to the server, which makes them soon.
      ALTER TABLE applications ADD COLUMN keys_pending INTEGER NOT NULL DEFAULT 0;
      CREATE INDEX applications_with_pending_keys ON applications (code) WHERE keys_pending;

      -- Keys of the admin API. Only the hash of a key is stored. applications: a JSON array of codes; NULL: all.
      CREATE TABLE api_keys (
        id           TEXT PRIMARY KEY,
        name         TEXT NOT NULL,
        key_hash     BLOB NOT NULL UNIQUE,
        role         TEXT NOT NULL,
        applications TEXT,
        created_at   INTEGER NOT NULL,
        expires_at   INTEGER,
        last_used_at INTEGER
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE operators (
        sub          TEXT PRIMARY KEY REFERENCES users ON DELETE CASCADE,
        role         TEXT NOT NULL,
        applications TEXT,
        created_at   INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;

      -- Answers to requests with an Idempotency-Key, encrypted: an answer may hold a secret that is shown once.
      CREATE TABLE idempotent_answers (
        caller        TEXT NOT NULL,
        key           TEXT NOT NULL,
        request_hash  BLOB NOT NULL,
        sealed_answer BLOB NOT NULL,
        expires_at    INTEGER NOT NULL,
        PRIMARY KEY (caller, key)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX idempotent_answers_by_end ON idempotent_answers (expires_at);

      -- The audit log. The id begins with the time. seq and hash are NULL until the row is sealed into the chain.
      CREATE TABLE events (
        id         TEXT PRIMARY KEY,
        time       INTEGER NOT NULL,
        type       TEXT NOT NULL,
        outcome    TEXT NOT NULL,
        actor_kind TEXT NOT NULL,
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
        last_hash   BLOB NOT NULL,
        pruned_seq  INTEGER NOT NULL,
        pruned_hash BLOB NOT NULL,
        mac         BLOB NOT NULL
      ) STRICT;

      -- What explain tells of a refused request, for seven days. app '': of no application. data: JSON, secrets masked.
      CREATE TABLE refusals (
        request_id TEXT PRIMARY KEY,
        app        TEXT NOT NULL,
        time       INTEGER NOT NULL,
        reason     TEXT NOT NULL,
        data       TEXT NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX refusals_by_app ON refusals (app, time);
      CREATE INDEX refusals_by_time ON refusals (time);

      -- Subscriptions. app NULL: events of all applications. pause_reason NULL: active. next_seq: the first event that has not been looked at.
      CREATE TABLE webhooks (
        id             TEXT PRIMARY KEY,
        app            TEXT,
        url            TEXT NOT NULL,
        description    TEXT NOT NULL,
        event_types    TEXT NOT NULL,
        ordered        INTEGER NOT NULL,
        sealed_secrets BLOB NOT NULL,
        pause_reason   TEXT,
        failing_since  INTEGER,
        next_seq       INTEGER NOT NULL,
        created_at     INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;

      -- seq is that of the event; 0: a test or a repetition, which has no place in the order. due_at is NULL when it is finished.
      CREATE TABLE webhook_deliveries (
        id          TEXT PRIMARY KEY,
        webhook_id  TEXT NOT NULL REFERENCES webhooks ON DELETE CASCADE,
        event_id    TEXT NOT NULL,
        type        TEXT NOT NULL,
        seq         INTEGER NOT NULL,
        body        TEXT NOT NULL,
        state       TEXT NOT NULL,
        attempts    INTEGER NOT NULL,
        due_at      INTEGER,
        status      INTEGER,
        reason      TEXT,
        created_at  INTEGER NOT NULL,
        finished_at INTEGER
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX webhook_deliveries_by_webhook ON webhook_deliveries (webhook_id, id);
      CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_id, due_at) WHERE finished_at IS NULL;
      CREATE INDEX webhook_deliveries_in_order ON webhook_deliveries (webhook_id, seq) WHERE finished_at IS NULL;
      CREATE INDEX webhook_deliveries_finished ON webhook_deliveries (finished_at) WHERE finished_at IS NOT NULL;

    `,
};
