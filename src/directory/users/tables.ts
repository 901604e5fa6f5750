import { copied, table } from '../../platform/store/table.ts';

/** People belong to no application: a token of any application is answered with their claims. */
export const userTables = [
  table('users', {
    placement: 'reference',
    copy: copied(
      'sub',
      'sub username nickname picture email email_verified:b phone_number phone_number_verified:b ' +
        'disabled:b updated_at:i standard_claims require_mfa:b require_password_change:b membership email_since:i phone_claimed:b',
    ),
  }),
  table('login_names', { placement: 'reference', copy: copied('login_name', 'login_name sub') }),
  table('claimed_emails', {
    copy: copied('sub', 'sub'),
    create: {
      sqlite: `CREATE TABLE claimed_emails ( -- users whose address a provider named and nobody has verified: it is no login name
          sub TEXT PRIMARY KEY REFERENCES users (sub) ON DELETE CASCADE
        ) STRICT, WITHOUT ROWID`,
      postgres: `CREATE TABLE claimed_emails (
          sub text COLLATE "C" PRIMARY KEY REFERENCES users (sub) ON DELETE CASCADE
        )`,
    },
  }),
  // The index of the search by a part of a name (search.job.ts). It can be dropped: the job makes it anew.
  table('user_places', {
    notCopied: 'made anew by a job',
    create: {
      sqlite: `CREATE TABLE user_places (
          sub   TEXT    PRIMARY KEY,
          place INTEGER,          -- NULL: waits for one
          mark  INTEGER NOT NULL  -- a hash of the text that was indexed, or that waits
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX user_places_by_place ON user_places (place) WHERE place IS NOT NULL;
        CREATE INDEX user_places_waiting ON user_places (sub) WHERE place IS NULL`,
      postgres: `CREATE TABLE user_places (
          sub   text   PRIMARY KEY,
          place bigint,
          mark  bigint NOT NULL
        );
        CREATE INDEX user_places_by_place ON user_places (place) WHERE place IS NOT NULL;
        CREATE INDEX user_places_waiting ON user_places (sub) WHERE place IS NULL`,
    },
  }),
  table('user_grams', {
    notCopied: 'made anew by a job',
    create: {
      sqlite: `CREATE TABLE user_grams (
          gram     TEXT    NOT NULL, -- up to three characters
          segment  INTEGER NOT NULL, -- 16,384 places
          ordinals BLOB    NOT NULL, -- two bytes for each place of the segment whose user has the gram
          PRIMARY KEY (gram, segment)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX user_grams_by_segment ON user_grams (segment)`,
      // Not compressed: the length is read without the list, and the list would hardly become shorter.
      postgres: `CREATE TABLE user_grams (
          gram     text COLLATE "C" NOT NULL,
          segment  bigint           NOT NULL,
          ordinals bytea            NOT NULL,
          PRIMARY KEY (gram, segment)
        );
        ALTER TABLE user_grams ALTER COLUMN ordinals SET STORAGE EXTERNAL;
        CREATE INDEX user_grams_by_segment ON user_grams (segment)`,
    },
  }),
  table('user_segments', {
    notCopied: 'made anew by a job',
    create: {
      sqlite: `CREATE TABLE user_segments (
          segment     INTEGER PRIMARY KEY,
          stale_since INTEGER -- its lists name somebody who left it
        ) STRICT`,
      postgres: 'CREATE TABLE user_segments (segment bigint PRIMARY KEY, stale_since bigint)',
    },
  }),
  table('user_search', {
    notCopied: 'made anew by a job',
    create: {
      sqlite: `CREATE TABLE user_search (
          id            INTEGER PRIMARY KEY,          -- 1: there is one row
          next_place    INTEGER NOT NULL DEFAULT 0,
          turn_until    INTEGER NOT NULL DEFAULT 0,   -- one process at a time adds to the index
          walked_to     TEXT,                         -- the job looks at all users, and has come so far
          walk_ended_at INTEGER NOT NULL DEFAULT 0
        ) STRICT`,
      postgres: `CREATE TABLE user_search (
          id            bigint PRIMARY KEY,
          next_place    bigint NOT NULL DEFAULT 0,
          turn_until    bigint NOT NULL DEFAULT 0,
          walked_to     text,
          walk_ended_at bigint NOT NULL DEFAULT 0
        )`,
    },
  }),
];
