import { optional, type Row } from '../../platform/store/row.ts';
import { among, sql } from '../../platform/store/sql.ts';
import { type ColdDatabase, rowsOf, runAll } from '../../platform/store/steps.ts';
import { type PolledTable, pollOf, writeDecision } from '../polled-grant/queries.ts';
import type { PolledState } from '../polled-grant/rules.ts';
import { toResources } from '../token/resource-cells.store.ts';
import { fromClaims, toClaims } from '../token/rows.store.ts';
import { grantedScope } from '../token/scope.rules.ts';
import type { DeviceAuthorization, DeviceAuthorizations } from './store.ts';

/** The authorization details that a device asks for; nearly none does. */
const CLAIMS = sql`(SELECT d.claims FROM device_details d WHERE d.device_hash = device_authorizations.device_hash)`;

export const DEVICES: PolledTable = { name: 'device_authorizations', key: 'device_hash', claims: CLAIMS };

/** Without `redeemDevice`, which writes to the tables of tokens. */
export function coldDeviceAuthorizations(db: ColdDatabase): Omit<DeviceAuthorizations, 'redeemDevice'> {
  return {
    addDeviceAuthorization: (app, device) =>
      db.transaction(function* () {
        const { deviceHash, userCodeHash, clientId, scope, address, interval, createdAt, expiresAt } = device;
        const added = yield* rowsOf(
          sql`INSERT INTO device_authorizations (device_hash, user_code_hash, app, client_id, scope, resources, address,
              created_at, expires_at, state, poll_interval)
            VALUES (${deviceHash}, ${userCodeHash}, ${app}, ${clientId}, ${scope.join(' ')}, ${device.resources?.join(' ') ?? null},
              ${address}, ${createdAt}, ${expiresAt}, 'pending', ${interval})
            ON CONFLICT DO NOTHING RETURNING 1`,
        );
        const claims = fromClaims(device.claims);
        if (added.length === 1 && claims !== null) {
          yield* runAll([sql`INSERT INTO device_details (device_hash, claims) VALUES (${deviceHash}, ${claims})`]);
        }
        return added.length === 1;
      }),
    findDevice: async (userCodeHashes, now) => {
      const [row] = await db.read(
        sql`SELECT app, client_id, scope, resources, address, created_at, state, sub, ${CLAIMS} AS claims
          FROM device_authorizations WHERE user_code_hash ${among(userCodeHashes)} AND expires_at > ${now}`,
      );
      return row && toDevice(row);
    },
    decideDevice: (userCodeHashes, decision, now) => {
      const waiting = { name: DEVICES.name, row: sql`user_code_hash ${among(userCodeHashes)}` };
      return db.transaction(() => writeDecision(db.own, waiting, decision, now));
    },
    pollDevice: pollOf(db, DEVICES),
  };
}

function toDevice(row: Row): DeviceAuthorization {
  return {
    app: row.app as string,
    clientId: row.client_id as string,
    scope: grantedScope(row.scope as string),
    resources: toResources(row).resources?.map(({ identifier }) => identifier),
    claims: toClaims(row.claims),
    address: row.address as string,
    createdAt: Number(row.created_at),
    state: row.state as PolledState,
    sub: optional(row.sub),
  };
}
