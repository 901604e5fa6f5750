import { copied, table } from '../../platform/store/table.ts';

export const secondFactorTables = [
  table('second_factor_attempts', {
    purge: { key: 'sign_in', ended: 'expires_at' },
    copy: copied('sign_in', 'sign_in attempts:i expires_at:i'),
  }),
];
