import type { Database } from '../../platform/store/sqlite/database.ts';
import type { ColdDatabase } from '../../platform/store/steps.ts';
import { redeemOf } from '../polled-grant/sqlite.ts';
import { coldDeviceAuthorizations, DEVICES } from './queries.ts';
import type { DeviceAuthorizations } from './store.ts';

export function deviceAuthorizations(db: Database, cold: ColdDatabase): DeviceAuthorizations {
  return { ...coldDeviceAuthorizations(cold), redeemDevice: redeemOf(db, DEVICES) };
}
