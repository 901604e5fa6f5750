/** Search by the beginning of a login name, byte by byte, whatever the collation of the database. */
export const migration006 = {
  name: '006-login-names-by-prefix',
  index: 'login_names_by_prefix',
  on: 'login_names (login_name COLLATE "C")',
};
