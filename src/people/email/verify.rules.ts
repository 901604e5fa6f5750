import type { StepRule } from '../sign-in/step.rules.ts';

export const verifyEmailRule: StepRule = {
  path: '/login/verify-email',
  asks: 'account',
  silent: 'loginRequired',
  isNeeded: ({ verifiedEmail }, _, user) => verifiedEmail && user !== undefined && !user.hasVerifiedEmail,
  whyNeeded: () => ({ login: { kind: 'unverifiedEmail' } }),
};
