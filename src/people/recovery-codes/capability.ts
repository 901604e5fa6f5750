import { capability, step } from '../../capability.ts';
import { recoveryRule } from './step.rules.ts';

/** Recovery codes: what a user has instead of a lost second factor. */
export const recoveryCodes = capability('people/recovery-codes', {
  steps: {
    recovery: step(recoveryRule, () => import('./step.ts'), 'recovery'),
  },
});
