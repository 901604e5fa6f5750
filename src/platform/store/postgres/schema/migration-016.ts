/** Passkeys among the credentials. */
export const migration016 = {
  name: '016-passkeys',
  sql: `
      -- The name that the user gave it, the signature counter and the backup state (WebAuthn section 6.1); NULL for other credentials.
      ALTER TABLE credentials ADD COLUMN name text;
      ALTER TABLE credentials ADD COLUMN sign_count bigint;
      ALTER TABLE credentials ADD COLUMN backed_up boolean;

      -- A passkey belongs to one user, and is found without knowing whose it is.
      CREATE UNIQUE INDEX credentials_by_passkey ON credentials (id) WHERE kind = 'passkey';
    `,
};
