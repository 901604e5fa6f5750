import { capability, step } from '../../capability.ts';
import { passwordRule, secondPasswordRule, selectAccountRule } from './login.rules.ts';

/**
 * Signing in: next-step.rules.ts decides which page is due, progress.ts keeps the state, session.ts opens the session. Factors, consent and
 * the other steps are in their own folders (`steps`).
 */
export const signIn = capability('people/sign-in', {
  steps: {
    password: step(passwordRule, () => import('./login.step.ts'), 'password'),
    'select-account': step(selectAccountRule, () => import('./select-account.step.ts'), 'selectAccount'),
    'second-password': step(secondPasswordRule, () => import('./login.step.ts'), 'password'),
  },
});
