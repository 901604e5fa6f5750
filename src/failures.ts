import { errorsForBrowsers } from './oauth/authorize/failures.ts';
import { errorsForDevices } from './oauth/device/failures.ts';
import { errorsForRegistration } from './oauth/registration/failures.ts';
import { errorsForOperators } from './operators/api/failures.ts';
import type { FailureDefinition } from './platform/http/failure-definition.rules.ts';
import { errorsForPrograms } from './platform/http/failures.ts';
import type { ParamFault } from './platform/http/params.rules.ts';

/**
 * The catalogue: every failure that this server can report, each defined once. The JSON body, the redirect, the error page and
 * the reference under /docs/errors are all generated from these definitions, so they always agree. The `description` texts of the
 * documented interface are literal. `{parameter}` is replaced when a failure is created.
 */
const catalogue = {
  ...errorsForPrograms,
  ...errorsForBrowsers,
  ...errorsForDevices,
  ...errorsForRegistration,
  ...errorsForOperators,
};

export type FailureName = keyof typeof catalogue;
export type ErrorCode = (typeof catalogue)[FailureName]['error'];

/** An expected refusal. It is returned as a value, never thrown. */
export interface Failure {
  readonly name: FailureName;
  readonly error: ErrorCode;
  readonly status: number;
  readonly description: string;
  /** The name in the description: of a parameter, a method or a content type. */
  readonly parameter?: string;
  /**
   * The value that was refused, for the log and the developer's part of an error page. Never a secret, never sent to the
   * client.
   */
  readonly detail?: string;
}

export function failure(name: FailureName, parameter = ''): Failure {
  const { error, status, description } = catalogue[name];
  if (parameter === '') return { name, error, status, description };
  return { name, error, status, description: description.replace('{parameter}', () => parameter), parameter };
}

/**
 * A scope-token (RFC 6749 section 3.3) of at most 40 characters. Any other text might be a secret, sent in the wrong
 * parameter.
 */
const LOGGABLE_SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,40}$/;

/** Adds the refused scope as the detail, if it may be logged. */
export function scopeFailure(token: string): Failure {
  const refused = failure('scopeInvalid');
  return LOGGABLE_SCOPE.test(token) ? { ...refused, detail: token } : refused;
}

/** Adds the refused resource as the detail, if it is a URI: any other text might be a secret in the wrong parameter. */
export function targetFailure(resource: string | undefined): Failure {
  const refused = failure('targetInvalid');
  return resource !== undefined && LOGGABLE_URI.test(resource) ? { ...refused, detail: resource } : refused;
}

/** The same where no policy leads to the target of a token exchange, which `parameter` names. */
export function exchangeFailure(target: string | undefined, parameter: 'resource' | 'audience'): Failure {
  return { ...targetFailure(target), ...failure('exchangeNotAllowed', parameter) };
}

/** The same where a policy does not name the scope. */
export function exchangeScopeFailure(token: string): Failure {
  return { ...scopeFailure(token), ...failure('exchangeScopeInvalid') };
}

const LOGGABLE_URI = /^[a-z][a-z0-9+.-]*:[\x21-\x22\x24-\x7e]{1,200}$/i;

/** The failure of a parameter that was repeated or cannot be decoded. */
export function parameterFailure({ kind, name }: ParamFault): Failure {
  return failure(kind === 'duplicated' ? 'parameterDuplicated' : 'parameterInvalid', name);
}

export function failureDefinitions(): [FailureName, FailureDefinition][] {
  return Object.entries(catalogue) as [FailureName, FailureDefinition][];
}
