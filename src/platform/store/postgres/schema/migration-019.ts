/** How the user of an access token logged in. Introspection answers from the token's own row. */
export const migration019 = {
  name: '019-login-of-access-tokens',
  sql: `
      ALTER TABLE access_tokens ADD COLUMN auth_time bigint;
      ALTER TABLE access_tokens ADD COLUMN amr text;
    `,
};
