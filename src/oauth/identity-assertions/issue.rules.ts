import type { Scope } from '../token/scope.rules.ts';

/** Assertions about people for other issuers (section 4.3 of the draft): who gets which. Pure. */

/** The longest life of one: it is brought to the other issuer at once, and good there once. */
export const ASSERTION_SECONDS = 300;

/** Which assertions a client gets. */
export interface AssertionPolicy {
  /** The client of this application. */
  readonly client: string;
  /** The other issuer: the `aud`. */
  readonly audience: string;
  /** Of the other issuer: all that the client may be given there. */
  readonly scopes: readonly Scope[];
  /** What the client is called there. Undefined: as here. */
  readonly client_id?: string | undefined;
  /** The client by which the other issuer signs people in here: the assertion has the `sub` that it sees. Undefined: that the client itself sees. */
  readonly subject_client?: string | undefined;
  /** Of the other issuer, for `resource`. Undefined: none. */
  readonly resources?: readonly string[] | undefined;
  /** The same of authorization details (RFC 9396). */
  readonly authorization_details_types?: readonly string[] | undefined;
}

export interface WithAssertionPolicies {
  readonly identity_assertions?: readonly AssertionPolicy[] | undefined;
}

export function issuesAssertions({ identity_assertions: policies = [] }: WithAssertionPolicies): boolean {
  return policies.length > 0;
}

/** Why the token of the request does not count. The client gets the same answer for all of them. */
export type SubjectFault =
  | 'notIdToken'
  | 'notRefreshToken'
  | 'otherClient'
  | 'ended'
  | 'disabled'
  | 'notAllowed'
  | 'gone';

export interface FaultySubject {
  readonly fault: SubjectFault;
  readonly expected?: string | undefined;
  readonly received?: string | undefined;
}
