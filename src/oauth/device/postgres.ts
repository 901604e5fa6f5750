import type { Database } from '../../platform/store/postgres/database.ts';
import type { Partitions } from '../../platform/store/postgres/partitions.ts';
import type { ColdDatabase } from '../../platform/store/steps.ts';
import { redeemOf } from '../polled-grant/postgres.ts';
import { coldDeviceAuthorizations, DEVICES } from './queries.ts';
import type { DeviceAuthorizations } from './store.ts';

export function deviceAuthorizations(db: Database, cold: ColdDatabase, partitions: Partitions): DeviceAuthorizations {
  return { ...coldDeviceAuthorizations(cold), redeemDevice: redeemOf(db, partitions, DEVICES) };
}
