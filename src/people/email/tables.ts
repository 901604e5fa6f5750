import { copied, table } from '../../platform/store/table.ts';

export const emailTables = [
  table('email_confirmations', {
    purge: { key: 'id', ended: 'expires_at' },
    copy: copied('id', 'id token_hash:x sub sealed:x mails:i expires_at:i'),
  }),
  table('address_mails', {
    purge: { key: 'address', ended: 'expires_at' },
    copy: copied('address', 'address mails:i expires_at:i'),
  }),
  table('email_undos', {
    purge: { key: 'token_hash', ended: 'expires_at' },
    copy: copied('token_hash', 'token_hash:x sub email username changed_at:i expires_at:i id'),
  }),
];
