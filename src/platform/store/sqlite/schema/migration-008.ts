/** Statistics by hour and by day. */
export const migration008 = {
  name: '008-statistics',
  sql: `
      -- step: 'hour' or 'day', time: its beginning. app '*': of the whole deployment. data: JSON, counters by group and name.
      CREATE TABLE statistics (
        app        TEXT NOT NULL,
        step       TEXT NOT NULL,
        time       INTEGER NOT NULL,
        data       TEXT NOT NULL,
        expires_at INTEGER NOT NULL,
        PRIMARY KEY (app, step, time)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX statistics_by_end ON statistics (expires_at);

      -- The last batch that each process has added, so that a batch that is sent again is not added twice.
      CREATE TABLE statistics_writers (
        writer     TEXT PRIMARY KEY,
        seq        INTEGER NOT NULL,
        expires_at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX statistics_writers_by_end ON statistics_writers (expires_at);
    `,
};
