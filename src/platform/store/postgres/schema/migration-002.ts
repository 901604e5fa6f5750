/** Only SQLite needs this migration. It is here so that both stores have the same numbers. Released: never edited. */
export const migration002 = {
  name: '002-keys-by-time',
  sql: '',
};
