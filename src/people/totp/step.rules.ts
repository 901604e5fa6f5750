import type { StepRule } from '../sign-in/step.rules.ts';
import { mustEnrol, secondFactorOf } from '../sign-in/strength.rules.ts';

export const totpRule: StepRule = {
  path: '/login/totp',
  asks: 'visitor',
  silent: 'loginRequired',
  isNeeded: (demands, _, user) => secondFactorOf(demands, user) === 'totp',
};

export const enrolTotpRule: StepRule = {
  path: '/login/enrol',
  asks: 'visitor',
  silent: 'authenticationRequirementsUnmet',
  isNeeded: (demands, _, user) => user !== undefined && mustEnrol(demands, user),
};
