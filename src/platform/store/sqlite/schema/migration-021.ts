/** Identifiers that were used and are good once. The key begins with the time after which nobody asks for it (credentials.ts). */
export const migration021 = {
  name: '021-used-ids',
  sql: `
      CREATE TABLE used_ids (
        key BLOB PRIMARY KEY
      ) STRICT, WITHOUT ROWID;
    `,
};
