import { table } from '../../platform/store/table.ts';

/** A device that polls after the end of its code is told that it has expired (RFC 8628 section 3.5), and not that it never was. */
const RETENTION_SECONDS = 3600;

export const deviceTables = [
  table('device_authorizations', {
    purge: { key: 'device_hash', ended: 'expires_at', afterSeconds: RETENTION_SECONDS },
    notCopied: 'it is good for minutes',
  }),
];
