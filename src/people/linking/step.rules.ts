import { passwordRule } from '../sign-in/login.rules.ts';
import type { StepRule } from '../sign-in/step.rules.ts';

/** The address of a person of an identity provider belongs to an account: whoever owns that signs in to it, once. */
export const linkRule: StepRule = {
  ...passwordRule,
  path: '/login/link',
  isNeeded: (_, { progress }, user) => progress?.linking !== undefined && user?.isFresh !== true,
};
