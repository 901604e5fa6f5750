import type { StepRule } from '../sign-in/step.rules.ts';

/** Never the next step: the pages of the other factors link to it, and it proves as much as a one-time password. */
export const recoveryRule: StepRule = {
  path: '/login/recovery',
  asks: 'visitor',
  silent: 'loginRequired',
  isNeeded: () => false,
};
