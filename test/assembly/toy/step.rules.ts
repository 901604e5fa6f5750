import type { StepRule } from '../../../src/people/sign-in/step.rules.ts';

/** Guests of the shop read the house rules with every sign-in, before the client gets its answer. */
export const houseRulesRule: StepRule = {
  path: '/login/house-rules',
  asks: 'user',
  silent: 'consentRequired',
  after: 'consent',
  isNeeded: ({ application }, { progress }, user) =>
    application?.code === 'shop' && progress?.passed?.['house-rules'] !== user?.sub,
};
