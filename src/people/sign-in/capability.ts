import { capability, from } from '../../capability.ts';
import { form, noBody, page } from '../../platform/http/route.ts';
import type { StepPath } from './next-step.rules.ts';

const PATHS: readonly StepPath[] = [
  '/consent',
  '/login',
  '/login/enrol',
  '/login/keep-account',
  '/login/new-password',
  '/login/no-access',
  '/login/passkey',
  '/login/recovery',
  '/login/totp',
  '/login/verify-email',
];

const steps = () => import('./steps.ts');

/**
 * Signing in: next-step.rules.ts decides which page is due, progress.ts keeps the state, session.ts opens the session. The pages of factors and
 * of consent are in their own folders (`steps`).
 */
export const signIn = capability('people/sign-in', {
  routes: [
    ...PATHS.map(path =>
      page(path, {
        GET: noBody(async (services, request) => (await steps()).showStep(path)(services, request)),
        POST: form(async (services, request) => (await steps()).submitStep(path)(services, request)),
      }),
    ),
  ],
  steps: {
    password: from(() => import('./login.step.ts'), 'password'),
    'select-account': from(() => import('./select-account.step.ts'), 'selectAccount'),
  },
});
