import { copied, table } from '../../platform/store/table.ts';

export const signingKeyTables = [
  table('signing_keys', {
    placement: 'reference',
    copy: copied(
      'app kid',
      'app kid alg public_jwk sealed_private_key:x created_at:i sign_from:i retired_at:i has_signed:b',
    ),
  }),
];
