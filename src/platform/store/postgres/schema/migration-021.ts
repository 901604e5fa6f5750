/**
 * Identifiers that were used and are good once. The key begins with the time after which nobody asks for it (credentials.ts). Not
 * UNLOGGED: such a table is empty after a crash, and an assertion that was used before it would be good again.
 */
export const migration021 = {
  name: '021-used-ids',
  sql: `
      CREATE TABLE used_ids (
        key     bytea NOT NULL,
        call_id bytea,
        PRIMARY KEY (key)
      ) PARTITION BY RANGE (key);
    `,
};
