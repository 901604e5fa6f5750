import { APPLICATION, BYTEWISE, sql } from '../../platform/store/sql.ts';
import type { ColdDatabase } from '../../platform/store/steps.ts';
import { toClientAccess, toConsent } from './rows.store.ts';
import type { Consents } from './store.ts';

export function coldConsents(db: ColdDatabase): Pick<Consents, 'consentsOf' | 'grantsOf'> {
  return {
    consentsOf: async sub => {
      const consents = sql`SELECT app, client_id, scope, given_at FROM consents WHERE sub = ${sub}
        ORDER BY app ${BYTEWISE}, client_id ${BYTEWISE}`;
      return (await db.read(consents)).map(toConsent);
    },
    grantsOf: async (sub, now) => {
      const grants = sql`SELECT ${APPLICATION} AS app, client_id, scope, claims, resources, min(started_at) AS since FROM grants
        WHERE sub = ${sub} AND revoked_at IS NULL AND expires_at > ${now}
        GROUP BY ${APPLICATION}, client_id, scope, claims, resources ORDER BY ${APPLICATION} ${BYTEWISE}, client_id ${BYTEWISE}`;
      return (await db.read(grants)).map(toClientAccess);
    },
  };
}
