import { capability, from } from '../../capability.ts';
import { pairwiseTables } from './tables.ts';

/** Pairwise subjects (OpenID Connect Core section 8.1): clients of different owners cannot find out that they have the same user. */
export const pairwise = capability('oauth/pairwise', {
  fields: from(() => import('./fields.ts'), 'pairwiseFields'),
  tables: pairwiseTables,
});
