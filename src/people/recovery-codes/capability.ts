import { capability, from } from '../../capability.ts';

/** Recovery codes: what a user has instead of a lost second factor. */
export const recoveryCodes = capability('people/recovery-codes', {
  steps: {
    recovery: from(() => import('./step.ts'), 'recovery'),
  },
});
