import { table } from '../../platform/store/table.ts';

/**
 * What an access token has of the authorization details of its grant, for introspection. The grant has them among what was requested one by
 * one (`claims`); tokens without any have no row. They can be personal data: a row goes with its user, and with its client.
 */
export const authorizationDetailsTables = [
  table('token_details', {
    purge: { key: 'token_hash', ended: 'expires_at' },
    notCopied: 'the grant has them: an access token that was copied shows none, its successor does',
    create: {
      sqlite: `CREATE TABLE token_details (
          token_hash BLOB    NOT NULL,
          app        TEXT    NOT NULL,
          details    TEXT    NOT NULL,
          expires_at INTEGER NOT NULL,
          sub        TEXT    REFERENCES users (sub) ON DELETE CASCADE, -- NULL: the client acts for itself
          client_id  TEXT    NOT NULL, -- may be the address of a document, so no reference
          PRIMARY KEY (token_hash, app)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX token_details_by_sub ON token_details (sub);
        CREATE INDEX token_details_by_client ON token_details (app, client_id)`,
      postgres: `CREATE TABLE token_details (
          token_hash bytea  NOT NULL,
          app        text COLLATE "C" NOT NULL,
          details    text   NOT NULL,
          expires_at bigint NOT NULL,
          sub        text   REFERENCES users (sub) ON DELETE CASCADE,
          client_id  text   NOT NULL,
          PRIMARY KEY (token_hash, app)
        );
        CREATE INDEX token_details_by_sub ON token_details (sub);
        CREATE INDEX token_details_by_client ON token_details (app, client_id)`,
    },
  }),
];
