import { table } from '../../platform/store/table.ts';

/**
 * What an access token has of the authorization details of its grant, for introspection. The grant has them among what was requested one by
 * one (`claims`); tokens without any have no row.
 */
export const authorizationDetailsTables = [
  table('token_details', {
    purge: { key: 'token_hash', ended: 'expires_at' },
    notCopied: 'the grant has them: an access token that was copied shows none, its successor does',
    create: {
      sqlite:
        'CREATE TABLE token_details (token_hash BLOB NOT NULL, app TEXT NOT NULL, details TEXT NOT NULL, expires_at INTEGER NOT NULL, PRIMARY KEY (token_hash, app)) STRICT, WITHOUT ROWID',
      postgres:
        'CREATE TABLE token_details (token_hash bytea NOT NULL, app text COLLATE "C" NOT NULL, details text NOT NULL, expires_at bigint NOT NULL, PRIMARY KEY (token_hash, app))',
    },
  }),
];
