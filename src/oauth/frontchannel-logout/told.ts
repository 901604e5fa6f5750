import { issuerOf } from '../../directory/applications/rules.ts';
import { APPLICATION, sql } from '../../platform/store/sql.ts';
import type { Services } from '../../services.ts';
import { frameAddress, MAX_FRAMES, type ToldClient } from './rules.ts';

/** The clients of a session that are told through the browser, where any is (`isAnyToldInFrames`). Asked before the session ends, which forgets its clients. */
export async function clientsToTell({ store, registry }: Services, sid: string): Promise<readonly ToldClient[]> {
  const rows = await store.cold.read(
    sql`SELECT DISTINCT ${APPLICATION} AS app, client_id FROM session_clients WHERE sid = ${sid} ORDER BY app, client_id`,
  );
  const known = await Promise.all(
    rows.map(async row => {
      const told: ToldClient = { app: row.app as string, clientId: row.client_id as string };
      const client = await registry.client(told.app, told.clientId);
      return client?.frontchannel_logout_uri === undefined ? [] : [told];
    }),
  );
  return known.flat().slice(0, MAX_FRAMES);
}

/** What the page shows of a client, and loads for it. */
export interface Frame {
  readonly name: string;
  readonly address: string;
}

/** As the clients are registered now. */
export async function framesFor(
  { registry, config, subjects }: Services,
  told: readonly ToldClient[],
  { sub, sid }: { readonly sub: string; readonly sid: string },
): Promise<readonly Frame[]> {
  const frames = await Promise.all(
    told.map(async ({ app, clientId }) => {
      const client = await registry.client(app, clientId);
      if (!client) return [];
      const shown = await subjects.shownTo(app, client, { sub, sid });
      const address = frameAddress(client, issuerOf(config.baseUrl, app), shown.sid);
      return address === undefined ? [] : [{ name: client.client_name, address }];
    }),
  );
  return frames.flat();
}
