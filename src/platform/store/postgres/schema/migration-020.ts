/** The APIs that a grant covers (RFC 8707), separated by spaces, and the one that an access token is for. NULL: none. */
export const migration020 = {
  name: '020-apis',
  sql: `
      ALTER TABLE codes ADD COLUMN resources text;
      ALTER TABLE grants ADD COLUMN resources text;
      ALTER TABLE access_tokens ADD COLUMN audience text;
    `,
};
