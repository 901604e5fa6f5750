/** The list of users in the order of their names. */
export const migration007 = {
  name: '007-users-by-username',
  index: 'users_by_username',
  on: 'users (username COLLATE "C")',
};
