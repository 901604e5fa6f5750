import { optional, type Row, toAccount, USER_COLUMNS } from '../rows.ts';
import type { Users } from '../users.ts';
import type { Database } from './connection/database.ts';

export function users(db: Database): Users {
  const find = db.prepare(
    `SELECT ${USER_COLUMNS}, u.password_hash, u.disabled
     FROM login_names n JOIN users u ON u.sub = n.sub WHERE n.login_name = ?`,
  );
  const hashFrom = db.prepare(
    `SELECT password_hash FROM (SELECT password_hash FROM users WHERE sub >= ? ORDER BY sub LIMIT 1) AS next
     UNION ALL SELECT password_hash FROM (SELECT password_hash FROM users ORDER BY sub LIMIT 1) AS first LIMIT 1`,
  );
  const replace = db.prepare('UPDATE users SET password_hash = ? WHERE sub = ? AND password_hash = ?');
  return {
    findAccount: loginName =>
      db.read(() => {
        const row = find.get(loginName) as Row | undefined;
        return row && toAccount(row);
      }),
    passwordHashFrom: point => db.read(() => optional(hashFrom.get(point)?.password_hash)),
    replacePasswordHash: (sub, from, to) => db.write(() => replace.run(to, sub, from).changes === 1),
  };
}
