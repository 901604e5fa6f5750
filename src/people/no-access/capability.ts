import { capability, from } from '../../capability.ts';

/** The step that tells a user whom the application does not admit (directory/access has the rule). */
export const noAccess = capability('people/no-access', {
  steps: {
    'no-access': from(() => import('./step.ts'), 'noAccess'),
  },
});
