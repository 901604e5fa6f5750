/** E-mail addresses that wait for their confirmation, changes of them that can be undone, and passwords that have to be changed. */
export const migration014 = {
  name: '014-email-confirmations',
  sql: `
      ALTER TABLE users ADD COLUMN require_password_change boolean NOT NULL DEFAULT false;

      -- Where the user asked: the application, and the sign-in that waits, as JSON.
      ALTER TABLE password_resets ADD COLUMN context text;

      -- id: of the pending request that waits for the code. sub: NULL for a sign-up. sealed: the code and what is confirmed.
      CREATE TABLE email_confirmations (
        id         text COLLATE "C" PRIMARY KEY,
        token_hash bytea NOT NULL,
        sub        text COLLATE "C" REFERENCES users (sub) ON DELETE CASCADE,
        sealed     bytea NOT NULL,
        mails      bigint NOT NULL,
        expires_at bigint NOT NULL
      );
      CREATE UNIQUE INDEX email_confirmations_by_token ON email_confirmations (token_hash);
      CREATE INDEX email_confirmations_by_sub ON email_confirmations (sub);
      CREATE INDEX email_confirmations_by_end ON email_confirmations (expires_at);

      -- How many such mails an address got; the address as a keyed hash.
      CREATE TABLE address_mails (
        address    text COLLATE "C" PRIMARY KEY,
        mails      bigint NOT NULL,
        expires_at bigint NOT NULL
      );
      CREATE INDEX address_mails_by_end ON address_mails (expires_at);

      -- The former address. username: the former one, where it was the address and changed with it.
      CREATE TABLE email_undos (
        token_hash bytea PRIMARY KEY,
        sub        text COLLATE "C" NOT NULL REFERENCES users (sub) ON DELETE CASCADE,
        email      text NOT NULL,
        username   text,
        changed_at bigint NOT NULL,
        expires_at bigint NOT NULL
      );
      CREATE INDEX email_undos_by_sub ON email_undos (sub);
      CREATE INDEX email_undos_by_end ON email_undos (expires_at);
    `,
};
