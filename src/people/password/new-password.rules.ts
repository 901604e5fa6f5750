import type { StepRule } from '../sign-in/step.rules.ts';

export const newPasswordRule: StepRule = {
  path: '/login/new-password',
  asks: 'account',
  silent: 'loginRequired',
  isNeeded: (_, __, user) => user?.needsNewPassword === true,
};
