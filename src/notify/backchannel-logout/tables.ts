import { copied, table } from '../../platform/store/table.ts';

export const backchannelLogoutTables = [
  table('logout_notices', { copy: copied('id', 'id:i app client_id sub sid due_at:i attempts:i') }),
];
