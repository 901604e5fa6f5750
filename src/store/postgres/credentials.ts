import { coldCredentials } from '../cold/credentials.ts';
import type { ColdDatabase } from '../cold/steps.ts';
import type { Credentials } from '../credentials.ts';
import { optional } from '../rows.ts';
import type { Database } from './connection/database.ts';
import { lookedUp, statement } from './connection/statement.ts';

const HASH_FROM = statement(
  `SELECT c.data FROM (
     SELECT sub FROM (SELECT sub FROM users WHERE sub >= $1 ORDER BY sub LIMIT 1) AS next
     UNION ALL SELECT sub FROM (SELECT sub FROM users ORDER BY sub LIMIT 1) AS first LIMIT 1
   ) AS u LEFT JOIN ${lookedUp("SELECT data FROM credentials WHERE sub = u.sub AND id = 'password'")} AS c ON true`,
);

export function credentials(db: Database, cold: ColdDatabase): Credentials {
  return {
    ...coldCredentials(cold),
    passwordHashFrom: async (point, receivedAt) => optional((await db.read(HASH_FROM, [point], receivedAt))[0]?.data),
  };
}
