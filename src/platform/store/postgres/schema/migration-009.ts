/** The logo of an application. */
export const migration009 = {
  name: '009-logo',
  sql: `
      -- logo: a data: URI of up to 44 KB, read where it is served and by operators alone. logo_hash: its name in its address, which
      -- requests read with the application. Both NULL: none.
      ALTER TABLE applications ADD COLUMN logo_hash text;
      ALTER TABLE applications ADD COLUMN logo text;
    `,
};
