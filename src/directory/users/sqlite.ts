import type { Row } from '../../platform/store/row.ts';
import type { Database } from '../../platform/store/sqlite/database.ts';
import { toAccount, USER_COLUMNS } from './rows.store.ts';
import type { Users } from './store.ts';

export function users(db: Database): Pick<Users, 'findAccount'> {
  const find = db.prepare(
    `SELECT ${USER_COLUMNS}, u.phone_claimed, u.disabled, u.require_mfa, u.require_password_change, c.data AS password_hash, t.data AS totp,
       EXISTS (SELECT 1 FROM credentials p WHERE p.sub = u.sub AND p.kind = 'passkey') AS has_passkey, d.due_at AS deletion_due
     FROM login_names n JOIN users u ON u.sub = n.sub LEFT JOIN credentials c ON c.sub = u.sub AND c.id = 'password'
     LEFT JOIN credentials t ON t.sub = u.sub AND t.id = 'totp' LEFT JOIN account_deletions d ON d.sub = u.sub
     WHERE n.login_name = ?`,
  );
  return {
    findAccount: loginName =>
      db.read(() => {
        const row = find.get(loginName) as Row | undefined;
        return row && toAccount(row);
      }),
  };
}
