import type { Database } from '../../platform/store/postgres/database.ts';
import { lookedUp, statement } from '../../platform/store/postgres/statement.ts';
import { optional } from '../../platform/store/row.ts';
import type { Credentials } from './store.ts';

const HASH_FROM = statement(
  `SELECT c.data FROM (
     SELECT sub FROM (SELECT sub FROM users WHERE sub >= $1 ORDER BY sub LIMIT 1) AS next
     UNION ALL SELECT sub FROM (SELECT sub FROM users ORDER BY sub LIMIT 1) AS first LIMIT 1
   ) AS u LEFT JOIN ${lookedUp("SELECT data FROM credentials WHERE sub = u.sub AND id = 'password'")} AS c ON true`,
);

export function credentials(db: Database): Pick<Credentials, 'passwordHashFrom'> {
  return {
    passwordHashFrom: async point => optional((await db.read(HASH_FROM, [point]))[0]?.data),
  };
}
