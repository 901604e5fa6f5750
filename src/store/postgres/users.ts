import { optional, toAccount, USER_COLUMNS } from '../rows.ts';
import type { Users } from '../users.ts';
import type { Database } from './connection/database.ts';
import { lookedUp, statement } from './connection/statement.ts';

const FIND = statement(
  `SELECT ${USER_COLUMNS}, u.password_hash, u.disabled
   FROM login_names n CROSS JOIN ${lookedUp('SELECT * FROM users WHERE sub = n.sub')} AS u WHERE n.login_name = $1`,
);

const HASH_FROM = statement(
  `SELECT password_hash FROM (SELECT password_hash FROM users WHERE sub >= $1 ORDER BY sub LIMIT 1) AS next
   UNION ALL SELECT password_hash FROM (SELECT password_hash FROM users ORDER BY sub LIMIT 1) AS first LIMIT 1`,
);

const REPLACE = statement('UPDATE users SET password_hash = $1 WHERE sub = $2 AND password_hash = $3 RETURNING 1');

export function users(db: Database): Users {
  return {
    findAccount: async (loginName, receivedAt) => {
      const [row] = await db.read(FIND, [loginName], receivedAt);
      return row && toAccount(row);
    },
    passwordHashFrom: async (point, receivedAt) =>
      optional((await db.read(HASH_FROM, [point], receivedAt))[0]?.password_hash),
    replacePasswordHash: async (sub, from, to, receivedAt) =>
      (await db.write(REPLACE, [to, sub, from], receivedAt)).length === 1,
  };
}
