import { CHANNEL } from './connection/listener.ts';
import { statement } from './connection/statement.ts';

/** Held until the end of the transaction: changes to the registry follow each other. */
export const TURN = statement('SELECT version FROM registry_version FOR UPDATE');
/** Whoever listens hears of it at the commit. */
export const GROW = statement(
  `WITH grown AS (UPDATE registry_version SET version = version + 1 RETURNING version)
   SELECT pg_notify('${CHANNEL}', version::text) FROM grown`,
);
