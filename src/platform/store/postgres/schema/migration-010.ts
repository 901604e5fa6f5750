/** The machines that serve. */
export const migration010 = {
  name: '010-nodes',
  sql: `
      CREATE TABLE nodes (
        host       text COLLATE "C" NOT NULL,
        port       integer NOT NULL,
        version    text NOT NULL,
        started_at bigint NOT NULL,
        seen_at    bigint NOT NULL,
        PRIMARY KEY (host, port)
      );
    `,
};
