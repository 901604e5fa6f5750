import type { Database } from '../../platform/store/postgres/database.ts';
import type { Partitions } from '../../platform/store/postgres/partitions.ts';
import { redeemOf } from '../polled-grant/postgres.ts';
import { BACKCHANNEL } from './queries.ts';
import type { BackchannelTokens } from './store.ts';

export function backchannelTokens(db: Database, partitions: Partitions): BackchannelTokens {
  return { redeemBackchannelRequest: redeemOf(db, partitions, BACKCHANNEL) };
}
