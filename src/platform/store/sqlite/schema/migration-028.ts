/** Who may undo a change of the e-mail address: only whoever has had the former address for long. */
export const migration028 = {
  name: '028-email-undos',
  sql: `
      -- Since when the user has the address. NULL: for long, or the user has none.
      ALTER TABLE users ADD COLUMN email_since INTEGER;

      -- NULL: of a node of the release before, whose links are good for nothing. Those that it has sent may be with strangers.
      ALTER TABLE email_undos ADD COLUMN id TEXT;
      DELETE FROM email_undos;
    `,
};
