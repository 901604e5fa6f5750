import { errorsForBrowsers } from './errors-for-browsers.ts';
import { errorsForPrograms } from './errors-for-programs.ts';
import type { Row } from './errors-row.ts';
import type { ParamFault } from './params.ts';

/**
 * The catalogue: every failure this server can report, once. The JSON body, the redirect, the page for the visitor and
 * the reference under /docs/errors are all made from these rows, so none of them can drift from the others.
 * Texts in `description` that come from the interface are literal; `{parameter}` is filled in when the failure is made.
 */
const catalogue = { ...errorsForPrograms, ...errorsForBrowsers };

export type FailureName = keyof typeof catalogue;
export type ErrorCode = (typeof catalogue)[FailureName]['error'];

/** An expected "no". It travels as a value; nothing throws it. */
export interface Failure {
  readonly name: FailureName;
  readonly error: ErrorCode;
  readonly status: number;
  readonly description: string;
  /** Which value was refused, for the log and the developer's part of a page: never a secret, never sent to the client. */
  readonly detail?: string;
}

export function failure(name: FailureName, parameter = ''): Failure {
  const { error, status, description } = catalogue[name];
  return { name, error, status, description: description.replace('{parameter}', () => parameter) };
}

/** A scope-token (RFC 6749 section 3.3) that is shorter than any credential: what else is sent as a scope may be a secret. */
const NAMEABLE_SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,40}$/;

/** The scope that was refused is named where an operator or a developer looks. */
export function scopeFailure(token: string): Failure {
  const refused = failure('scopeInvalid');
  return NAMEABLE_SCOPE.test(token) ? { ...refused, detail: token } : refused;
}

/** A parameter that came twice, or that cannot be read. */
export function parameterFailure({ kind, name }: ParamFault): Failure {
  return failure(kind === 'duplicated' ? 'parameterDuplicated' : 'parameterInvalid', name);
}

export function rows(): [FailureName, Row][] {
  return Object.entries(catalogue) as [FailureName, Row][];
}
