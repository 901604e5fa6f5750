import type { RefusalFacts } from '../../audit/refusals/facts.rules.ts';
import type { FailureName } from '../../failures.ts';
import type { BrowserState, User } from './current-user.rules.ts';
import type { Demands } from './demands.rules.ts';

/** When a step of a sign-in is due: its capability declares it with the page of the step. Pure. */
export interface StepRule {
  /** The address of the page that asks. */
  readonly path: string;
  /**
   * `visitor`: the step authenticates the user. `account`: the user is authenticated, and the account lacks something without which no
   * session is opened. `user`: the step comes after the session was opened; if the user refuses the consent, the session stays.
   */
  readonly asks: 'visitor' | 'account' | 'user';
  /** The error for `prompt=none`, which forbids to show a page. */
  readonly silent: FailureName;
  /** The step that it follows, where `ORDER` of next-step.rules.ts does not name it. */
  readonly after?: string;
  isNeeded(demands: Demands, state: BrowserState, user: User | undefined): boolean;
  /** The user has read that nothing helps, so the client gets the error. */
  isRefused?(state: BrowserState, user: User | undefined): boolean;
  /** For the explanation of a refusal: what is missing. */
  whyNeeded?(demands: Demands, state: BrowserState): RefusalFacts;
}

export interface SignInStep extends StepRule {
  readonly name: string;
}
