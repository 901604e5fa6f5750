/** The newest link for the first owner: a new start makes the former one void (row 67). */
export const migration030 = {
  name: '030-owner-link',
  sql: `
      CREATE TABLE owner_link (
        id         bigint PRIMARY KEY CHECK (id = 1), -- one row
        token_hash bytea NOT NULL,
        expires_at bigint NOT NULL
      );
    `,
};
