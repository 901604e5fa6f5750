import { table } from '../../platform/store/table.ts';

/** A device that polls after the end of its code is told that it has expired (RFC 8628 section 3.5), and not that it never was. */
const RETENTION_SECONDS = 3600;
const WHY_NOT_COPIED = 'it is good for minutes';

export const deviceTables = [
  table('device_authorizations', {
    purge: { key: 'device_hash', ended: 'expires_at', afterSeconds: RETENTION_SECONDS },
    notCopied: WHY_NOT_COPIED,
  }),
  // The authorization details that a device asks for (RFC 9396). Those of others have no row.
  table('device_details', {
    notCopied: WHY_NOT_COPIED,
    create: {
      sqlite: `CREATE TABLE device_details (
          device_hash BLOB PRIMARY KEY REFERENCES device_authorizations ON DELETE CASCADE,
          claims      TEXT NOT NULL
        ) STRICT, WITHOUT ROWID`,
      postgres: `CREATE TABLE device_details (
          device_hash bytea PRIMARY KEY REFERENCES device_authorizations ON DELETE CASCADE,
          claims      text  NOT NULL
        )`,
    },
  }),
];
