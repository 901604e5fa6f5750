import type { Database } from '../../platform/store/sqlite/database.ts';
import { prepareAddFamily, prepareClientCheck, prepareLoginCheck } from '../token/grants.sqlite.ts';
import { denyApproved, type PolledTable } from './queries.ts';
import type { Redeem } from './store.ts';

/** Takes the values of the condition. */
export function prepareDenyApproved(db: Database, condition: string): (...values: string[]) => void {
  const statements = denyApproved(condition).map(text => db.prepare(text));
  return (...values) => {
    for (const statement of statements) statement.run(...values);
  };
}

export function redeemOf(db: Database, { name, key }: PolledTable): Redeem {
  const spend = db.prepare(
    `UPDATE ${name} SET state = 'redeemed', grant_id = ?1
     WHERE ${key} = ?2 AND app = ?3 AND client_id = ?4 AND sub = ?5 AND state = 'approved' AND expires_at > ?6`,
  );
  const isClient = prepareClientCheck(db);
  const mayGetIn = prepareLoginCheck(db);
  const addTokens = prepareAddFamily(db);
  return (app, hash, family, tokens) =>
    db.write(() => {
      const { clientId, sub } = family;
      if (!isClient(app, clientId)) return 'clientGone';
      if (!mayGetIn(sub, undefined)) return 'gone';
      const { changes } = spend.run(tokens.grantId, hash, app, clientId, sub, tokens.issuedAt);
      if (changes === 0) return 'gone';
      addTokens(app, family, tokens);
      return 'redeemed';
    });
}
