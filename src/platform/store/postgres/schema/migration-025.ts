/** Device authorizations (RFC 8628). `sub`, `auth_time` and `amr` are set with the approval, `grant_id` when it is redeemed. */
export const migration025 = {
  name: '025-device-authorizations',
  sql: `
      CREATE TABLE device_authorizations (
        device_hash    bytea PRIMARY KEY,
        user_code_hash text NOT NULL UNIQUE,
        app            text NOT NULL,
        client_id      text NOT NULL,
        scope          text NOT NULL,
        resources      text,
        address        text NOT NULL,
        created_at     bigint NOT NULL,
        expires_at     bigint NOT NULL,
        state          text NOT NULL,
        poll_interval  bigint NOT NULL,
        polled_at      bigint,
        sub            text COLLATE "C" REFERENCES users (sub) ON DELETE CASCADE,
        auth_time      bigint,
        amr            text,
        grant_id       text
      );
      CREATE INDEX device_authorizations_by_end ON device_authorizations (expires_at);
      CREATE INDEX device_authorizations_by_user ON device_authorizations (sub) WHERE sub IS NOT NULL;
      CREATE INDEX device_authorizations_by_client ON device_authorizations (app, client_id) WHERE state = 'approved';
    `,
};
