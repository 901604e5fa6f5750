/** The list of users in the order of their names. */
export const migration007 = {
  name: '007-users-by-username',
  sql: 'CREATE INDEX users_by_username ON users (username)',
};
