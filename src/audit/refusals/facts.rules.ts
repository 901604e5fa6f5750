import type { AssertionFault } from '../../oauth/client-authentication/client-assertion.rules.ts';
import type { FaultyProof } from '../../oauth/dpop/rules.ts';
import type { FaultyWorkload } from '../../oauth/federated-credentials/rules.ts';
import type { FaultySubject } from '../../oauth/identity-assertions/issue.rules.ts';
import type { FaultyAssertion } from '../../oauth/identity-assertions/rules.ts';
import type { RequestObjectFault } from '../../oauth/jar/request-object.rules.ts';
import type { FaultyCertificate } from '../../oauth/mtls/rules.ts';
import type { StatementFault } from '../../oauth/registration/software-statement.rules.ts';

/**
 * What an endpoint knows about a refusal beside the request and the registration of the client, for the explanation of it
 * (events/explain). Plain values, never a secret.
 */
export interface RefusalFacts {
  /** Parameters of a validated request that is not in the address any more, because the user was on the sign-in pages. */
  readonly validated?: Readonly<Record<string, string>>;
  readonly login?: LoginFault;
  readonly consent?: MissingConsent;
  readonly pending?: PendingFault;
  readonly form?: FormFault;
  /** Of the device that was told to slow down: seconds, from now on. */
  readonly pollInterval?: number;
  /** The device code was issued to another client. */
  readonly isOfOtherClient?: boolean;
  readonly passkey?: PasskeyFault;
  /** The account had no attempts left, whatever name was typed: the password counted as wrong. */
  readonly isAccountExhausted?: boolean;
  /** The scope of the token family that is refreshed, or of the access token. */
  readonly grantedScope?: readonly string[];
  /** The API that the access token is for. Undefined: userinfo. */
  readonly audience?: string | undefined;
  /** The client that the id_token_hint was issued to. */
  readonly hintClient?: string;
  /** The id_token_hint names another user than the parameter claims. */
  readonly hintNamesOther?: boolean;
  /** The code belongs to a client with require_client_authentication. */
  readonly needsClientAuthentication?: boolean;
  /** The client_id of the form differs from the one that authenticated. */
  readonly claimsOtherClient?: boolean;
  /** What userinfo demands of the login of a token, and what the login was (RFC 9470). */
  readonly demanded?: DemandedLogin;
  /** Which check the client's assertion failed. */
  readonly assertion?: AssertionFault;
  /** Which check the request object failed. */
  readonly requestObject?: RequestObjectFault;
  /** Which check the DPoP proof failed. */
  readonly proof?: FaultyProof;
  /** Which check the certificate of the client failed. */
  readonly certificate?: FaultyCertificate;
  /** Which check the token of the workload failed, which is the client's assertion. */
  readonly workload?: FaultyWorkload;
  /** Which check the assertion about a person failed, which another issuer has signed. */
  readonly identityAssertion?: FaultyAssertion;
  /** Why the token that an assertion was asked for with does not count. */
  readonly identitySubject?: FaultySubject;
  /** The identity provider, and what it said or what did not hold. */
  readonly provider?: { readonly id: string; readonly name?: string | undefined; readonly reason: string };
  /** Why the address that is the client_id gives no client. */
  readonly clientDocument?: string;
  /** What is wrong with the metadata of a registration: the field, and the reason. */
  readonly clientMetadata?: string;
  /** Which check the software statement failed. */
  readonly statement?: StatementFault;
  /** The `iss` of a software statement that nobody has verified. */
  readonly statementIssuer?: string | undefined;
}

/** Why prompt=none could not be answered, or why signing in did not help. */
export type LoginFault =
  | { readonly kind: 'noSession' }
  | { readonly kind: 'otherUser' }
  | { readonly kind: 'tooOld'; readonly authTime: number; readonly maxAge: number }
  /** The session was opened by a password or passkey of this server, and the application has `local_sign_in: false`. */
  | { readonly kind: 'notByProvider' }
  | { readonly kind: 'selection' }
  /** The user has a second factor and was not asked for it. */
  | { readonly kind: 'secondFactor' }
  | { readonly kind: 'noSecondFactor' }
  /** The application demands a verified e-mail address, and the user's is not. */
  | { readonly kind: 'unverifiedEmail' };

export interface DemandedLogin {
  readonly acrValues: readonly string[] | undefined;
  readonly maxAge: number | undefined;
  readonly acr: string | undefined;
  readonly authTime: number | undefined;
}

export interface MissingConsent {
  readonly missing: readonly string[];
  readonly isRemembered: boolean;
  /** The client has registered itself: what is remembered does not count. */
  readonly eachTime?: boolean | undefined;
}

/** Why a sealed request did not open. */
export type PendingFault =
  | {
      readonly kind:
        | 'missing'
        | 'unreadable'
        | 'noCookie'
        | 'otherBrowser'
        | 'otherPurpose'
        | 'otherApplication'
        | 'changed'
        | 'answered';
    }
  | { readonly kind: 'expired'; readonly expiredAt: number };

/**
 * Why a passkey was refused. `invalid`: the assertion does not hold (challenge, origin, signature, user verification). `cloned`: the
 * signature counter did not rise. `taken` and `full`: of a new passkey.
 */
export type PasskeyFault = 'invalid' | 'unknown' | 'otherUser' | 'disabled' | 'cloned' | 'taken' | 'full';

export interface FormFault {
  readonly kind: 'sessionEnded' | 'otherUser';
}
