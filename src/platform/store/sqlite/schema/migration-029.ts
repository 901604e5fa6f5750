/** Which telephone numbers are no login names. */
export const migration029 = {
  name: '029-claimed-numbers',
  sql: `
      -- True: the user typed the number, and nobody has vouched for it. NULL: it is from a release before, where every number was a login
      -- name, and stays one: people sign in with it.
      ALTER TABLE users ADD COLUMN phone_claimed INTEGER;
    `,
};
