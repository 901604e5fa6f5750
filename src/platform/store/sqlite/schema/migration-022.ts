/** Groups and roles of users. */
export const migration022 = {
  name: '022-membership',
  sql: `
      -- JSON, read with the profile: { groups: [...], roles: { application: [...] } }. NULL: none.
      ALTER TABLE users ADD COLUMN membership TEXT;
    `,
};
