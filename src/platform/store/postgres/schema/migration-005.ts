/** Operators and their keys, the audit log, explanations of refusals, webhooks; applications can be deleted and restored. */
export const migration005 = {
  name: '005-operators',
  sql: `
      -- NULL: not deleted. A deleted application is unreachable; its data stays until purge deletes it 30 days later.
      ALTER TABLE applications ADD COLUMN deleted_at bigint;
      -- An apply file with many applications leaves most signing keys to the server, which makes them soon.
      ALTER TABLE applications ADD COLUMN keys_pending boolean NOT NULL DEFAULT false;
      CREATE INDEX applications_with_pending_keys ON applications (code) WHERE keys_pending;

      -- Keys of the admin API. Only the hash of a key is stored. applications: a JSON array of codes; NULL: all.
      CREATE TABLE api_keys (
        id           text COLLATE "C" PRIMARY KEY,
        name         text NOT NULL,
        key_hash     bytea NOT NULL UNIQUE,
        role         text NOT NULL,
        applications text,
        created_at   bigint NOT NULL,
        expires_at   bigint,
        last_used_at bigint
      );

      CREATE TABLE operators (
        sub          text PRIMARY KEY REFERENCES users ON DELETE CASCADE,
        role         text NOT NULL,
        applications text,
        created_at   bigint NOT NULL
      );

      -- Answers to requests with an Idempotency-Key, encrypted: an answer may hold a secret that is shown once.
      CREATE TABLE idempotent_answers (
        caller        text NOT NULL,
        key           text NOT NULL,
        request_hash  bytea NOT NULL,
        sealed_answer bytea NOT NULL,
        expires_at    bigint NOT NULL,
        PRIMARY KEY (caller, key)
      );
      CREATE INDEX idempotent_answers_by_end ON idempotent_answers (expires_at);

      -- The audit log. The id begins with the time. seq and hash are NULL until the row is sealed into the chain.
      CREATE TABLE events (
        id         text COLLATE "C" PRIMARY KEY,
        time       bigint NOT NULL,
        type       text NOT NULL,
        outcome    text NOT NULL,
        actor_kind text NOT NULL,
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
      -- "POSIX" compares as "C" does. The order by it tells the planner to use these and not the primary key (cold/events.ts).
      CREATE INDEX events_by_app ON events (app, id COLLATE "POSIX") WHERE app IS NOT NULL;
      CREATE INDEX events_by_client ON events (client_id, id COLLATE "POSIX") WHERE client_id IS NOT NULL;
      CREATE INDEX events_by_subject ON events (subject, id COLLATE "POSIX") WHERE subject IS NOT NULL;
      CREATE INDEX events_by_type ON events (type, id COLLATE "POSIX");
      CREATE INDEX events_by_operator ON events (actor, id COLLATE "POSIX") WHERE actor_kind = 'operator';
      CREATE INDEX events_by_request ON events (request_id) WHERE request_id IS NOT NULL;

      -- One row: how far the chain is sealed, and how far its beginning was pruned.
      CREATE TABLE event_chain (
        id          integer PRIMARY KEY CHECK (id = 1),
        last_seq    bigint NOT NULL,
        last_hash   bytea NOT NULL,
        pruned_seq  bigint NOT NULL,
        pruned_hash bytea NOT NULL,
        mac         bytea NOT NULL
      );

      -- What explain tells of a refused request, for seven days. app '': of no application. data: JSON, secrets masked.
      CREATE TABLE refusals (
        request_id text COLLATE "C" PRIMARY KEY,
        app        text NOT NULL,
        time       bigint NOT NULL,
        reason     text NOT NULL,
        data       text NOT NULL
      );
      CREATE INDEX refusals_by_app ON refusals (app, time);
      CREATE INDEX refusals_by_time ON refusals (time);

      -- Subscriptions. app NULL: events of all applications. pause_reason NULL: active. next_seq: the first event that has not been looked at.
      CREATE TABLE webhooks (
        id             text COLLATE "C" PRIMARY KEY,
        app            text,
        url            text NOT NULL,
        description    text NOT NULL,
        event_types    text NOT NULL,
        ordered        boolean NOT NULL,
        sealed_secrets bytea NOT NULL,
        pause_reason   text,
        failing_since  bigint,
        next_seq       bigint NOT NULL,
        created_at     bigint NOT NULL
      );

      -- seq is that of the event; 0: a test or a repetition, which has no place in the order. due_at is NULL when it is finished.
      CREATE TABLE webhook_deliveries (
        id          text COLLATE "C" PRIMARY KEY,
        webhook_id  text COLLATE "C" NOT NULL REFERENCES webhooks ON DELETE CASCADE,
        event_id    text NOT NULL,
        type        text NOT NULL,
        seq         bigint NOT NULL,
        body        text NOT NULL,
        state       text NOT NULL,
        attempts    bigint NOT NULL,
        due_at      bigint,
        status      bigint,
        reason      text,
        created_at  bigint NOT NULL,
        finished_at bigint
      );
      CREATE INDEX webhook_deliveries_by_webhook ON webhook_deliveries (webhook_id, id);
      CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_id, due_at) WHERE finished_at IS NULL;
      CREATE INDEX webhook_deliveries_in_order ON webhook_deliveries (webhook_id, seq) WHERE finished_at IS NULL;
      CREATE INDEX webhook_deliveries_finished ON webhook_deliveries (finished_at) WHERE finished_at IS NOT NULL;

    `,
};
