import { capability, step } from '../../capability.ts';
import { noAccessRule } from './rules.ts';

/** The step that tells a user whom the application does not admit (directory/access has the rule). */
export const noAccess = capability('people/no-access', {
  steps: {
    'no-access': step(noAccessRule, () => import('./step.ts'), 'noAccess'),
  },
});
