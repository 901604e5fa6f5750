import { copied, table } from '../../platform/store/table.ts';

/** Who a person is elsewhere. The key says that a subject of a provider has one account here. */
export const linkTables = [
  table('user_links', {
    copy: copied('provider subject', 'provider subject sub label created_at:i last_used_at:i moved_at:i'),
    create: {
      sqlite: `CREATE TABLE user_links (
          provider     TEXT    NOT NULL,
          subject      TEXT    NOT NULL,
          sub          TEXT    NOT NULL REFERENCES users (sub) ON DELETE CASCADE,
          label        TEXT,             -- what the person is called there
          created_at   INTEGER NOT NULL,
          last_used_at INTEGER,
          moved_at     INTEGER,          -- when the password of an old system became one of ours
          PRIMARY KEY (provider, subject)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX user_links_by_sub ON user_links (sub)`,
      postgres: `CREATE TABLE user_links (
          provider     text COLLATE "C" NOT NULL,
          subject      text COLLATE "C" NOT NULL,
          sub          text             NOT NULL REFERENCES users (sub) ON DELETE CASCADE,
          label        text,
          created_at   bigint           NOT NULL,
          last_used_at bigint,
          moved_at     bigint,
          PRIMARY KEY (provider, subject)
        );
        CREATE INDEX user_links_by_sub ON user_links (sub)`,
    },
  }),
];
