import { copied, table } from '../../platform/store/table.ts';

export const registrationTables = [
  table('client_registrations', {
    placement: 'reference',
    copy: copied('app client_id', 'app client_id token_hash:x created_at:i used_at:i'),
  }),
  table('initial_access_tokens', {
    placement: 'reference',
    copy: copied('app id', 'app id name token_hash:x created_at:i expires_at:i'),
  }),
];
