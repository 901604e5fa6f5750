import { applicationFailures } from './directory/applications/failures.ts';
import { clientDocumentFailures } from './directory/client-id-metadata/failures.ts';
import { authorizationCodeFailures } from './oauth/authorization-code/failures.ts';
import { authorizationDetailsFailures } from './oauth/authorization-details/failures.ts';
import { authorizeFailures } from './oauth/authorize/failures.ts';
import { cibaFailures } from './oauth/ciba/failures.ts';
import { clientAuthenticationFailures } from './oauth/client-authentication/failures.ts';
import { deviceFailures } from './oauth/device/failures.ts';
import { dpopFailures } from './oauth/dpop/failures.ts';
import { encryptionFailures } from './oauth/encryption/failures.ts';
import { identityAssertionFailures } from './oauth/identity-assertions/failures.ts';
import { introspectionFailures } from './oauth/introspect/failures.ts';
import { jarFailures } from './oauth/jar/failures.ts';
import { logoutFailures } from './oauth/logout/failures.ts';
import { mtlsFailures } from './oauth/mtls/failures.ts';
import { parFailures } from './oauth/par/failures.ts';
import { passwordGrantFailures } from './oauth/password-grant/failures.ts';
import { presentedTokenFailures } from './oauth/proof-of-possession/failures.ts';
import { refreshFailures } from './oauth/refresh/failures.ts';
import { registrationFailures } from './oauth/registration/failures.ts';
import { tokenFailures } from './oauth/token/failures.ts';
import { tokenExchangeFailures } from './oauth/token-exchange/failures.ts';
import { userinfoFailures } from './oauth/userinfo/failures.ts';
import { adminApiFailures } from './operators/api/failures.ts';
import { consoleFailures } from './operators/console-frame/failures.ts';
import { firstOwnerFailures } from './operators/first-owner/failures.ts';
import { agentFailures } from './people/agents/failures.ts';
import { consentFailures } from './people/consent/failures.ts';
import { emailFailures } from './people/email/failures.ts';
import { federationFailures } from './people/federation/failures.ts';
import { noAccessFailures } from './people/no-access/failures.ts';
import { passkeyFailures } from './people/passkey/failures.ts';
import { passwordFailures } from './people/password/failures.ts';
import { secondFactorFailures } from './people/second-factor/failures.ts';
import { signInFailures } from './people/sign-in/failures.ts';
import { signUpFailures } from './people/sign-up/failures.ts';
import type { FailureDefinition } from './platform/http/failure-definition.rules.ts';
import { httpFailures } from './platform/http/failures.ts';
import type { ParamFault } from './platform/http/params.rules.ts';
import { formFailures } from './platform/ui/failures.ts';

/**
 * The catalogue: every failure that this server can report, each defined once, in the folder of its capability. The JSON body, the
 * redirect, the error page, the reference under /docs/errors and the explanation of a refusal are all generated from these
 * definitions, so they always agree. The `description` texts of the documented interface are literal. `{parameter}` is replaced when
 * a failure is created.
 */
const catalogue = {
  ...authorizationDetailsFailures,
  ...authorizeFailures,
  ...authorizationCodeFailures,
  ...cibaFailures,
  ...clientAuthenticationFailures,
  ...deviceFailures,
  ...dpopFailures,
  ...encryptionFailures,
  ...introspectionFailures,
  ...jarFailures,
  ...logoutFailures,
  ...parFailures,
  ...passwordGrantFailures,
  ...mtlsFailures,
  ...presentedTokenFailures,
  ...refreshFailures,
  ...registrationFailures,
  ...tokenFailures,
  ...tokenExchangeFailures,
  ...identityAssertionFailures,
  ...userinfoFailures,
  ...agentFailures,
  ...consentFailures,
  ...emailFailures,
  ...federationFailures,
  ...noAccessFailures,
  ...passkeyFailures,
  ...passwordFailures,
  ...secondFactorFailures,
  ...signInFailures,
  ...signUpFailures,
  ...applicationFailures,
  ...clientDocumentFailures,
  ...adminApiFailures,
  ...consoleFailures,
  ...firstOwnerFailures,
  ...httpFailures,
  ...formFailures,
};

export type FailureName = keyof typeof catalogue;
export type ErrorCode = (typeof catalogue)[FailureName]['error'];

/**
 * What a capability defines and no other folder names is not in the list above: the capability declares it (`failures`), names it here by
 * declaration merging, and makes it with `failureOf`.
 */
// biome-ignore lint/suspicious/noEmptyInterface: capabilities add to it
export interface DeclaredFailures {}
export type AnyFailureName = FailureName | keyof DeclaredFailures;

export interface Definition extends FailureDefinition {
  readonly error: ErrorCode;
}

/** Those of the list and those that capabilities declare, by their names (`Tables`). */
export type Failures = ReadonlyMap<string, Definition>;

/** An expected refusal. It is returned as a value, never thrown. */
export interface Failure {
  readonly name: AnyFailureName;
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
  return failureOf(catalogue, name, parameter);
}

/** The same of a capability that declares its failures. */
export function failureOf<Name extends AnyFailureName>(
  definitions: Readonly<Record<Name, Definition>>,
  name: Name,
  parameter = '',
): Failure {
  const { error, status, description } = definitions[name];
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

export function failureDefinitions(): [FailureName, Definition][] {
  return Object.entries(catalogue) as [FailureName, Definition][];
}

export const listedFailures: Failures = new Map(failureDefinitions());
