import type { StepRule } from '../sign-in/step.rules.ts';
import { secondFactorOf } from '../sign-in/strength.rules.ts';

export const passkeyRule: StepRule = {
  path: '/login/passkey',
  asks: 'visitor',
  silent: 'loginRequired',
  isNeeded: (demands, _, user) => secondFactorOf(demands, user) === 'passkey',
};
