import { prepareRecordEvent } from '../../audit/events/sqlite.ts';
import type { Database } from '../../platform/store/sqlite/database.ts';
import { prepareDropExchanged } from '../token-exchange/sqlite.ts';
import {
  ACCESS_LOGIN_COLUMNS,
  ACCESS_USER_COLUMNS,
  type AccessLoginRow,
  type AccessUserRow,
  fromAccessLoginRow,
  fromAccessUserRow,
} from './access-rows.store.ts';
import {
  CALLER_IS_CLIENT,
  NOT_REVOKED,
  prepareAddFamily,
  prepareAuthorizedWrite,
  prepareLoginCheck,
} from './grants.sqlite.ts';
import type { Tokens } from './store.ts';
import { isSubjectClient } from './subject.rules.ts';

export function tokens(db: Database): Tokens {
  const addTokens = prepareAddFamily(db);
  const writeIfAuthorized = prepareAuthorizedWrite(db);
  const mayGetIn = prepareLoginCheck(db);
  const access = db.prepare(
    `SELECT ${ACCESS_LOGIN_COLUMNS}
     FROM access_tokens t WHERE t.app = ?1 AND t.token_hash = ?2 AND t.expires_at > ?3 AND ${NOT_REVOKED}
       AND ${CALLER_IS_CLIENT}`,
  );
  const accessWithUser = db.prepare(
    `SELECT ${ACCESS_USER_COLUMNS}
     FROM access_tokens t JOIN users u ON u.sub = t.sub AND u.disabled = 0
     WHERE t.app = ? AND t.token_hash = ? AND t.expires_at > ? AND ${NOT_REVOKED}`,
  );
  access.setReturnArrays(true);
  accessWithUser.setReturnArrays(true);
  const dropAccess = db.prepare(
    'DELETE FROM access_tokens WHERE app = ? AND token_hash = ? AND client_id = ? RETURNING sub',
  );
  const dropExchanged = prepareDropExchanged(db, 'subject_hash = ?2');
  const record = prepareRecordEvent(db);

  return {
    addTokenFamily: (app, family, tokens, { passwordHash, event } = {}) =>
      db.write(() =>
        writeIfAuthorized(app, family, () => {
          if (!isSubjectClient(family) && !mayGetIn(family.sub, passwordHash)) return;
          addTokens(app, family, tokens);
          if (event) record(event);
        }),
      ),
    findAccessToken: (app, hash, now, caller) =>
      db.read(() => {
        const row = access.get(app, hash, now, caller ?? null) as unknown as AccessLoginRow | undefined;
        return row && fromAccessLoginRow(row);
      }),
    findTokenUser: (app, hash, now) =>
      db.read(() => {
        const row = accessWithUser.get(app, hash, now) as unknown as AccessUserRow | undefined;
        return row && fromAccessUserRow(row);
      }),
    revokeAccessToken: (app, hash, clientId, event) =>
      db.write(() => {
        const revoked = dropAccess.get(app, hash, clientId);
        if (!revoked) return;
        dropExchanged(app, hash);
        if (event) record({ ...event, subject: revoked.sub as string });
      }),
  };
}
