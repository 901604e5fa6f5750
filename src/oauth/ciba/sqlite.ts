import type { Database } from '../../platform/store/sqlite/database.ts';
import { redeemOf } from '../polled-grant/sqlite.ts';
import { BACKCHANNEL } from './queries.ts';
import type { BackchannelTokens } from './store.ts';

export function backchannelTokens(db: Database): BackchannelTokens {
  return { redeemBackchannelRequest: redeemOf(db, BACKCHANNEL) };
}
