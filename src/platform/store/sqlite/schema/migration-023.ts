/** Pushed authorization requests (RFC 9126). */
export const migration023 = {
  name: '023-pushed-requests',
  sql: `
      CREATE TABLE pushed_requests (
        id_hash    BLOB PRIMARY KEY,
        app        TEXT NOT NULL,
        client_id  TEXT NOT NULL,
        sealed     BLOB NOT NULL,
        expires_at INTEGER NOT NULL
      );
      CREATE INDEX pushed_requests_by_end ON pushed_requests (expires_at);
    `,
};
