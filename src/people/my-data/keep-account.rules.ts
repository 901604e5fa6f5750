import type { StepRule } from '../sign-in/step.rules.ts';

/** A disabled user has no session, so only a sign-in shows that the account is being deleted. */
export const keepAccountRule: StepRule = {
  path: '/login/keep-account',
  asks: 'visitor',
  silent: 'loginRequired',
  isNeeded: (_, __, user) => user?.isBeingDeleted === true,
};
