import { sql } from '../../platform/store/sql.ts';
import type { ColdDatabase } from '../../platform/store/steps.ts';
import type { PushedRequests } from './store.ts';

export function coldPushedRequests(db: ColdDatabase): PushedRequests {
  return {
    addPushedRequest: async (app, { idHash, clientId, sealed, expiresAt }) => {
      await db.write(
        sql`INSERT INTO pushed_requests (id_hash, app, client_id, sealed, expires_at)
          VALUES (${idHash}, ${app}, ${clientId}, ${sealed}, ${expiresAt}) ON CONFLICT DO NOTHING`,
      );
    },
    readPushedRequest: async (app, idHash, clientId, now) => {
      const [row] = await db.read(
        sql`SELECT sealed FROM pushed_requests WHERE id_hash = ${idHash} AND app = ${app} AND client_id = ${clientId}
          AND expires_at > ${now}`,
      );
      return row?.sealed as Uint8Array | undefined;
    },
    takePushedRequest: async (app, idHash, clientId, now) => {
      const [row] = await db.write(
        sql`DELETE FROM pushed_requests WHERE id_hash = ${idHash} AND app = ${app} AND client_id = ${clientId}
          AND expires_at > ${now} RETURNING sealed`,
      );
      return row?.sealed as Uint8Array | undefined;
    },
  };
}
