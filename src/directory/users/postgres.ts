import type { Database } from '../../platform/store/postgres/database.ts';
import { lookedUp, statement } from '../../platform/store/postgres/statement.ts';
import { toAccount, USER_COLUMNS } from './rows.store.ts';
import type { Users } from './store.ts';

const FIND = statement(
  `SELECT ${USER_COLUMNS}, u.phone_claimed, u.disabled, u.require_mfa, u.require_password_change, c.data AS password_hash, t.data AS totp,
     EXISTS (SELECT 1 FROM credentials p WHERE p.sub = u.sub AND p.kind = 'passkey') AS has_passkey, d.due_at AS deletion_due
   FROM login_names n CROSS JOIN ${lookedUp('SELECT * FROM users WHERE sub = n.sub')} AS u
   LEFT JOIN ${lookedUp("SELECT data FROM credentials WHERE sub = u.sub AND id = 'password'")} AS c ON true
   LEFT JOIN ${lookedUp("SELECT data FROM credentials WHERE sub = u.sub AND id = 'totp'")} AS t ON true
   LEFT JOIN ${lookedUp('SELECT due_at FROM account_deletions WHERE sub = u.sub')} AS d ON true
   WHERE n.login_name = $1`,
);

export function users(db: Database): Pick<Users, 'findAccount'> {
  return {
    findAccount: async loginName => {
      const [row] = await db.read(FIND, [loginName]);
      return row && toAccount(row);
    },
  };
}
