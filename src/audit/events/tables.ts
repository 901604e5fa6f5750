import { copied, table } from '../../platform/store/table.ts';

/** One chain for the whole deployment: each event names the hash of the one before. */
export const eventTables = [
  table('events', {
    copy: copied(
      'id',
      'id time:i type outcome actor_kind actor subject app client_id address user_agent request_id details seq:i hash:x',
    ),
  }),
  table('event_chain', { copy: copied('id', 'id:i last_seq:i last_hash:x pruned_seq:i pruned_hash:x mac:x') }),
];
