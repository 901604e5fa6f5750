/** Users who must have a second factor, and invitations. */
export const migration017 = {
  name: '017-operators-and-factors',
  sql: `
      -- The user must have a second factor, whatever the application says.
      ALTER TABLE users ADD COLUMN require_mfa boolean NOT NULL DEFAULT false;
      -- The link welcomes a user that an operator has invited.
      ALTER TABLE password_resets ADD COLUMN invitation boolean NOT NULL DEFAULT false;
    `,
};
