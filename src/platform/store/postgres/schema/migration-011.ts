/** Second factors: each one-time password once, and a limit for guesses. */
export const migration011 = {
  name: '011-second-factors',
  sql: `
      -- The time step of the last one-time password that was accepted (RFC 6238 section 5.2); NULL for other credentials.
      ALTER TABLE credentials ADD COLUMN last_step bigint;

      -- How many codes were compared in one sign-in. Rows exist only for sign-ins whose password was right.
      CREATE TABLE second_factor_attempts (
        sign_in    text COLLATE "C" PRIMARY KEY,
        attempts   bigint NOT NULL,
        expires_at bigint NOT NULL
      );
      CREATE INDEX second_factor_attempts_by_end ON second_factor_attempts (expires_at);
    `,
};
