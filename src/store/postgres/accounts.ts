import { toAccount, USER_COLUMNS } from '../rows.ts';
import type { Accounts } from '../store.ts';
import type { Database } from './database.ts';
import { lookedUp, statement } from './statement.ts';

const FIND = statement(
  `SELECT ${USER_COLUMNS}, u.password_hash, u.disabled
   FROM login_names n CROSS JOIN ${lookedUp('SELECT * FROM users WHERE sub = n.sub')} AS u WHERE n.login_name = $1`,
);

export function accounts(db: Database): Accounts {
  return {
    findAccount: async loginName => {
      const [row] = await db.read(FIND, [loginName]);
      return row && toAccount(row);
    },
  };
}
