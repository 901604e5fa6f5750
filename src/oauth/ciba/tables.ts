import { copied, table } from '../../platform/store/table.ts';

/** A client that polls after the end is told that it has expired, and not that it never was. Limits count the last hour too. */
const RETENTION_SECONDS = 3600;
const WHY_NOT_COPIED = 'it is good for minutes';

export const cibaTables = [
  // Requests of clients that wait for a person (CIBA). Deleted with the user, and purged an hour after their end.
  table('backchannel_requests', {
    purge: { key: 'request_hash', ended: 'expires_at', afterSeconds: RETENTION_SECONDS },
    notCopied: WHY_NOT_COPIED,
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
  // The codes that people have set against requests of strangers, as an HMAC. Deleted with the user.
  table('approval_codes', {
    copy: copied('sub', 'sub hash set_at:i'),
    create: {
      sqlite: `CREATE TABLE approval_codes (
          sub    TEXT    PRIMARY KEY REFERENCES users (sub) ON DELETE CASCADE,
          hash   TEXT    NOT NULL,
          set_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID`,
      postgres: `CREATE TABLE approval_codes (
          sub    text COLLATE "C" PRIMARY KEY REFERENCES users (sub) ON DELETE CASCADE,
          hash   text   NOT NULL,
          set_at bigint NOT NULL
        )`,
    },
  }),
  // What clients in the mode ping are told, encrypted, until they have been told. Deleted then, or with the request.
  table('backchannel_pings', {
    notCopied: WHY_NOT_COPIED,
    create: {
      sqlite: `CREATE TABLE backchannel_pings (
          id         TEXT    PRIMARY KEY REFERENCES backchannel_requests (id) ON DELETE CASCADE,
          app        TEXT    NOT NULL,
          client_id  TEXT    NOT NULL,
          sealed     BLOB    NOT NULL,
          due_at     INTEGER, -- set when the person has decided
          attempts   INTEGER NOT NULL,
          expires_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX backchannel_pings_by_due ON backchannel_pings (due_at) WHERE due_at IS NOT NULL`,
      postgres: `CREATE TABLE backchannel_pings (
          id         text COLLATE "C" PRIMARY KEY REFERENCES backchannel_requests (id) ON DELETE CASCADE,
          app        text   NOT NULL,
          client_id  text   NOT NULL,
          sealed     bytea  NOT NULL,
          due_at     bigint,
          attempts   bigint NOT NULL,
          expires_at bigint NOT NULL
        );
        CREATE INDEX backchannel_pings_by_due ON backchannel_pings (due_at) WHERE due_at IS NOT NULL`,
    },
  }),
];
