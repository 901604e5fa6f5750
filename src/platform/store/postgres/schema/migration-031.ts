/** Revocations of replayed codes and refresh tokens that failed and wait to be repeated. */
export const migration031 = {
  name: '031-waiting-revocations',
  sql: `
      -- app: on Citus the part of the application. unless_issued: the access token whose existence shows that it was no replay.
      CREATE TABLE waiting_revocations (
        app           text NOT NULL,
        grant_id      text NOT NULL,
        replayed_at   bigint NOT NULL,
        event         text, -- JSON
        unless_issued bytea,
        due_at        bigint NOT NULL,
        attempts      bigint NOT NULL,
        PRIMARY KEY (app, grant_id)
      );
    `,
};
