/** Only PostgreSQL needs this migration: the key of login_names is in the order of bytes here. */
export const migration006 = {
  name: '006-login-names-by-prefix',
  sql: '',
};
