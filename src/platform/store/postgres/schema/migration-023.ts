/** Pushed authorization requests (RFC 9126). */
export const migration023 = {
  name: '023-pushed-requests',
  sql: `
      CREATE TABLE pushed_requests (
        id_hash    bytea PRIMARY KEY,
        app        text NOT NULL,
        client_id  text NOT NULL,
        sealed     bytea NOT NULL,
        expires_at bigint NOT NULL
      );
      CREATE INDEX pushed_requests_by_end ON pushed_requests (expires_at);
    `,
};
