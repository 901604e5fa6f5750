import { toAccount, USER_COLUMNS } from '../rows.ts';
import type { Accounts } from '../store.ts';
import type { Database } from './database.ts';
import { lookedUp, statement } from './statement.ts';

const FIND = statement(
  `SELECT ${USER_COLUMNS}, u.password_hash, u.disabled
   FROM login_names n CROSS JOIN ${lookedUp('SELECT * FROM users WHERE sub = n.sub')} AS u WHERE n.login_name = $1`,
);

const REPLACE = statement('UPDATE users SET password_hash = $1 WHERE sub = $2 AND password_hash = $3 RETURNING 1');

export function accounts(db: Database): Accounts {
  return {
    findAccount: async (loginName, receivedAt) => {
      const [row] = await db.read(FIND, [loginName], receivedAt);
      return row && toAccount(row);
    },
    replacePasswordHash: async (sub, from, to, receivedAt) =>
      (await db.write(REPLACE, [to, sub, from], receivedAt)).length === 1,
  };
}
