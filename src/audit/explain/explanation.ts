import type { Client } from '../../directory/clients/rules.ts';
import type { Failures } from '../../failures.ts';
import type { GrantTypes } from '../../oauth/token/grant-types.rules.ts';
import type { Snapshot } from './snapshot.ts';

/** Why a request was refused. Plain data, the same for the admin API, the command line and the console. */
export interface Explanation {
  readonly rule: Rule;
  readonly expected: string;
  readonly received: string;
  readonly difference: Difference | undefined;
  /** What to do. */
  readonly fix: string;
  /** The change that makes the request work, where that is safe. */
  readonly call: Call | undefined;
  /** How far the request came. */
  readonly progress: readonly Phase[];
}

export interface Rule {
  readonly text: string;
  /** The section of a specification, or a document below docs/. */
  readonly reference: string;
}

export interface Difference {
  /** Words that a program can compare, such as `trailing-slash`. */
  readonly kinds: readonly string[];
  readonly text: string;
  /** Both sides, where they are comparable texts, and the first character of the received one that differs. */
  readonly expected?: string | undefined;
  readonly received?: string | undefined;
  readonly at?: number | undefined;
}

/** A change by the admin API, and the same by the command line. */
export interface Call {
  readonly summary: string;
  readonly method: 'PATCH' | 'POST';
  /** Below {base_url}/api/v1/admin. */
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly command: string;
}

export interface Phase {
  readonly phase: string;
  readonly state: 'passed' | 'failed' | 'not reached';
}

/** What an explanation is made from. */
export interface Context {
  readonly snapshot: Snapshot;
  /** The code of the application; empty: the request belongs to none. */
  readonly app: string;
  /** As it is registered now, not at the time of the refusal: a call must not undo later changes. */
  readonly client: Client | undefined;
  /** Whether the reader may learn the name of this application. */
  readonly mayName: (app: string) => boolean;
  /** Of the server that explains. */
  readonly grantTypes: GrantTypes;
  readonly failures: Failures;
}

/** What a topic says about one row of the catalogue. */
export interface RowExplanation {
  readonly expected: string;
  readonly received: string;
  readonly difference?: Difference | undefined;
  readonly fix: string;
  readonly call?: Call | undefined;
}

export type Topic = (context: Context) => RowExplanation;

/** What an explanation says of one check of several that a credential or proof goes through. */
export interface FaultText {
  /** Its word in `Difference.kinds`. */
  readonly kind: string;
  readonly expected: string;
  readonly received: string;
  readonly text: string;
  readonly fix: string;
}
