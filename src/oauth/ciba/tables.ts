import { table } from '../../platform/store/table.ts';

/** A client that polls after the end is told that it has expired, and not that it never was. Limits count the last hour too. */
const RETENTION_SECONDS = 3600;

export const cibaTables = [
  // Requests of clients that wait for a person (CIBA). Deleted with the user, and purged an hour after their end.
  table('backchannel_requests', {
    purge: { key: 'request_hash', ended: 'expires_at', afterSeconds: RETENTION_SECONDS },
    notCopied: 'it is good for minutes',
    create: {
      sqlite: `CREATE TABLE backchannel_requests (
          request_hash    BLOB    PRIMARY KEY,
          id              TEXT    NOT NULL UNIQUE, -- of the page on which the person decides
          app             TEXT    NOT NULL,
          client_id       TEXT    NOT NULL,
          sub             TEXT    NOT NULL REFERENCES users (sub) ON DELETE CASCADE,
          scope           TEXT    NOT NULL,
          resources       TEXT,
          claims          TEXT,
          acr             TEXT,    -- the classes of authentication that it asks for
          binding_message TEXT,
          created_at      INTEGER NOT NULL,
          expires_at      INTEGER NOT NULL,
          state           TEXT    NOT NULL,
          poll_interval   INTEGER NOT NULL,
          polled_at       INTEGER,
          auth_time       INTEGER, -- set with the approval, as the next
          amr             TEXT,
          grant_id        TEXT     -- set when it is redeemed
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX backchannel_requests_by_end ON backchannel_requests (expires_at);
        CREATE INDEX backchannel_requests_by_user ON backchannel_requests (sub, created_at);
        CREATE INDEX backchannel_requests_by_client ON backchannel_requests (app, client_id, state)`,
      postgres: `CREATE TABLE backchannel_requests (
          request_hash    bytea            PRIMARY KEY,
          id              text COLLATE "C" NOT NULL UNIQUE,
          app             text             NOT NULL,
          client_id       text             NOT NULL,
          sub             text COLLATE "C" NOT NULL REFERENCES users (sub) ON DELETE CASCADE,
          scope           text             NOT NULL,
          resources       text,
          claims          text,
          acr             text,
          binding_message text,
          created_at      bigint           NOT NULL,
          expires_at      bigint           NOT NULL,
          state           text             NOT NULL,
          poll_interval   bigint           NOT NULL,
          polled_at       bigint,
          auth_time       bigint,
          amr             text,
          grant_id        text
        );
        CREATE INDEX backchannel_requests_by_end ON backchannel_requests (expires_at);
        CREATE INDEX backchannel_requests_by_user ON backchannel_requests (sub, created_at);
        CREATE INDEX backchannel_requests_by_client ON backchannel_requests (app, client_id, state)`,
    },
  }),
];
