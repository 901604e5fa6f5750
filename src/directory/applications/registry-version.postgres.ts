import { CHANNEL } from '../../platform/store/postgres/listener.ts';
import { statement } from '../../platform/store/postgres/statement.ts';

/** A row lock until the end of the transaction: one transaction at a time changes the registry. */
export const LOCK_VERSION = statement('SELECT version FROM registry_version FOR UPDATE');
/** The server notifies listening nodes at the commit (platform/store/postgres/listener.ts). */
export const NEXT_VERSION = statement(
  `WITH grown AS (UPDATE registry_version SET version = version + 1 RETURNING version)
   SELECT pg_notify('${CHANNEL}', version::text) FROM grown`,
);
