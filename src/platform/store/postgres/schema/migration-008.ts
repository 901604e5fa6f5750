/** Statistics by hour and by day. */
export const migration008 = {
  name: '008-statistics',
  sql: `
      -- step: 'hour' or 'day', time: its beginning. app '*': of the whole deployment. data: JSON, counters by group and name.
      CREATE TABLE statistics (
        app        text COLLATE "C" NOT NULL,
        step       text COLLATE "C" NOT NULL,
        time       bigint NOT NULL,
        data       text NOT NULL,
        expires_at bigint NOT NULL,
        PRIMARY KEY (app, step, time)
      );
      CREATE INDEX statistics_by_end ON statistics (expires_at);

      -- The last batch that each process has added, so that a batch that is sent again is not added twice.
      CREATE TABLE statistics_writers (
        writer     text COLLATE "C" PRIMARY KEY,
        seq        bigint NOT NULL,
        expires_at bigint NOT NULL
      );
      CREATE INDEX statistics_writers_by_end ON statistics_writers (expires_at);
    `,
};
