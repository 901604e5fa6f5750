import { optional } from '../../platform/store/row.ts';
import type { Database } from '../../platform/store/sqlite/database.ts';
import type { Credentials } from './store.ts';

export function credentials(db: Database): Pick<Credentials, 'passwordHashFrom'> {
  const hashFrom = db.prepare(
    `SELECT c.data FROM (
       SELECT sub FROM (SELECT sub FROM users WHERE sub >= ? ORDER BY sub LIMIT 1) AS next
       UNION ALL SELECT sub FROM (SELECT sub FROM users ORDER BY sub LIMIT 1) AS first LIMIT 1
     ) AS u LEFT JOIN credentials c ON c.sub = u.sub AND c.id = 'password'`,
  );
  return {
    passwordHashFrom: point => db.read(() => optional(hashFrom.get(point)?.data)),
  };
}
