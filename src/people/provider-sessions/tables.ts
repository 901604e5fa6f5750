import { copied, table } from '../../platform/store/table.ts';

/** What a sign-in at an identity provider leaves here, for as long as the session that it opened can live. */
export const providerSessionTables = [
  table('provider_sessions', {
    purge: { key: 'id', ended: 'expires_at' },
    copy: copied('id', 'id provider sub sealed:x expires_at:i renewal renewing_until:i named'),
    create: {
      sqlite: `CREATE TABLE provider_sessions (
          id         TEXT    PRIMARY KEY, -- the sid of the session; until there is one, the id of the pending sign-in
          provider   TEXT    NOT NULL,
          sub        TEXT    NOT NULL REFERENCES users (sub) ON DELETE CASCADE,
          sealed     BLOB    NOT NULL,    -- encrypted: the ID token, and where they are kept the other tokens
          expires_at INTEGER NOT NULL,
          renewal    TEXT,                -- who renews the tokens now: a provider that rotates refresh tokens takes each once
          renewing_until INTEGER,         -- and until when at most
          named      TEXT                 -- a hash of what the provider calls the person, where it may end the session by that
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX provider_sessions_by_name ON provider_sessions (named) WHERE named IS NOT NULL;
        CREATE INDEX provider_sessions_by_sub ON provider_sessions (sub)`,
      postgres: `CREATE TABLE provider_sessions (
          id         text COLLATE "C" PRIMARY KEY,
          provider   text   NOT NULL,
          sub        text   NOT NULL REFERENCES users (sub) ON DELETE CASCADE,
          sealed     bytea  NOT NULL,
          expires_at bigint NOT NULL,
          renewal    text,
          renewing_until bigint,
          named      text
        );
        CREATE INDEX provider_sessions_by_name ON provider_sessions (named) WHERE named IS NOT NULL;
        CREATE INDEX provider_sessions_by_sub ON provider_sessions (sub)`,
    },
  }),
];
