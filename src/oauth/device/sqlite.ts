import type { Database } from '../../platform/store/sqlite/database.ts';
import type { ColdDatabase } from '../../platform/store/steps.ts';
import { prepareAddFamily, prepareClientCheck, prepareLoginCheck } from '../token/grants.sqlite.ts';
import { coldDeviceAuthorizations } from './queries.ts';
import type { DeviceAuthorizations } from './store.ts';

export function deviceAuthorizations(db: Database, cold: ColdDatabase): DeviceAuthorizations {
  const spend = db.prepare(
    `UPDATE device_authorizations SET state = 'redeemed', grant_id = ?1
     WHERE device_hash = ?2 AND app = ?3 AND client_id = ?4 AND sub = ?5 AND state = 'approved' AND expires_at > ?6`,
  );
  const isClient = prepareClientCheck(db);
  const mayGetIn = prepareLoginCheck(db);
  const addTokens = prepareAddFamily(db);
  return {
    ...coldDeviceAuthorizations(cold),
    redeemDevice: (app, deviceHash, family, tokens) =>
      db.write(() => {
        const { clientId, sub } = family;
        if (!isClient(app, clientId)) return 'clientGone';
        if (!mayGetIn(sub, undefined)) return 'gone';
        const { changes } = spend.run(tokens.grantId, deviceHash, app, clientId, sub, tokens.issuedAt);
        if (changes === 0) return 'gone';
        addTokens(app, family, tokens);
        return 'redeemed';
      }),
  };
}
