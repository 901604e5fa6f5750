/** The machines that serve. */
export const migration010 = {
  name: '010-nodes',
  sql: `
      CREATE TABLE nodes (
        host       TEXT NOT NULL,
        port       INTEGER NOT NULL,
        version    TEXT NOT NULL,
        started_at INTEGER NOT NULL,
        seen_at    INTEGER NOT NULL,
        PRIMARY KEY (host, port)
      ) STRICT, WITHOUT ROWID;
    `,
};
