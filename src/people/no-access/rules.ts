import { mayEnter } from '../../directory/access/rules.ts';
import type { BrowserState, User } from '../sign-in/current-user.rules.ts';
import type { Demands } from '../sign-in/demands.rules.ts';
import type { StepRule } from '../sign-in/step.rules.ts';

/** It asks nothing that would help, but says what the matter is before the client gets its answer. */
export const noAccessRule: StepRule = {
  path: '/login/no-access',
  asks: 'user',
  silent: 'userNotAllowed',
  isNeeded: hasNoAccess,
  isRefused: ({ progress }, user) => progress?.toldNoAccess === user?.sub,
};

/**
 * Decided by the session, which has the user as the store has it now: what a browser carries of a sign-in says nothing about groups and
 * roles. Without a session nothing is issued, so a user who has none yet is asked to sign in first.
 */
function hasNoAccess({ access }: Demands, { session }: BrowserState, user: User | undefined): boolean {
  if (!access || session === undefined || session.user.sub !== user?.sub) return false;
  return !mayEnter(access, session.user);
}
