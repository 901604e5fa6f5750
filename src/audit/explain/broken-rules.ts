import type { FailureName } from '../../failures.ts';
import type { Rule } from './explanation.ts';

const PROOF_CHECKS = 'RFC 9449 section 4.3';
const FRESH_PROOF = 'A DPoP proof shows by its iat or by a nonce of the server that it was made just now.';

/** The rule behind each row of the catalogue, and where it is written. */
const RULES: Readonly<Record<FailureName, readonly [text: string, reference: string]>> = {
  // The request as such
  notFound: ['The server answers at the addresses of its table of routes.', 'RFC 9110 section 15.5.5'],
  applicationUnknown: ['The segment after /api/v1/authorize/ is the code of an application.', 'row 5'],
  methodNotAllowed: ['Each address answers its own methods.', 'row 30, RFC 9110 section 15.5.6'],
  bodyTooLarge: ['A body has at most 64 KiB.', 'row 30'],
  tooManyParameters: ['A query string or a form has at most 200 parameters.', 'RFC 9110 section 17.5'],
  bodyNotUtf8: ['Parameters are UTF-8.', 'RFC 6749 appendix B'],
  contentTypeInvalid: ['Parameters are form-encoded in the body.', 'row 30, RFC 6749 section 3.2'],
  mediaTypeUnsupported: ['Each address takes its own content types.', 'RFC 9110 section 15.5.16'],
  jsonInvalid: ['A body of JSON is I-JSON, so that all parsers read it alike.', 'RFC 7493 section 2'],
  requestTooLarge: [
    'An authorization request has at most 16 KiB, and 4 KiB where a client without a secret pushes it.',
    'row 26',
  ],
  parameterMissing: ['The parameter is required here.', 'rows 16 and 36, RFC 6749 section 4.1.3'],
  parameterInvalid: [
    'The value of the parameter must be an allowed one.',
    'row 21, OpenID Connect Core section 3.1.2.1',
  ],
  parameterDuplicated: ['A parameter must not be sent more than once.', 'row 17, RFC 6749 section 3.1'],

  // Client authentication
  clientNotAuthenticated: ['The client must prove who it is.', 'rows 33 and 34, RFC 6749 section 3.2.1'],
  clientAuthenticationFailed: [
    'The credentials must be those of a client of this application.',
    'row 33, RFC 6749 section 2.3.1, RFC 7523 section 3',
  ],
  severalClientAuthentications: [
    'A request uses one client authentication method and names one client.',
    'row 33, RFC 6749 section 2.3',
  ],
  tooManyPushedRequests: [
    'Requests that clients without a secret push are limited by network address.',
    'RFC 9126 section 7.1',
  ],
  tooManyProofs: [
    'Refused requests with a DPoP proof of clients without a secret are limited by network address.',
    'RFC 9449 section 11.1',
  ],
  clientDocumentInvalid: [
    'A client_id that is an address is that of a document, which names the same client_id.',
    'OAuth Client ID Metadata Document (draft-ietf-oauth-client-id-metadata-document-02) sections 3 to 5',
  ],
  tooManyClientDocuments: [
    'Addresses of clients that have to be fetched are limited by network address.',
    'OAuth Client ID Metadata Document (draft-ietf-oauth-client-id-metadata-document-02) section 8.6',
  ],
  registrationTokenInvalid: [
    'A registration needs an initial access token, and a registered client its own token.',
    'RFC 7591 section 3, RFC 7592 section 2',
  ],
  redirectUriRejected: ['Redirect addresses are absolute URIs that lead back to the client.', 'RFC 7591 section 5'],
  clientMetadataInvalid: ['The metadata of a client follows the rules of the apply file.', 'RFC 7591 section 2'],
  softwareStatementInvalid: ['A software statement is a JWT that its issuer has signed.', 'RFC 7591 section 2.3'],
  softwareStatementUnapproved: [
    'A software statement counts only if the application trusts its issuer.',
    'RFC 7591 section 2.3',
  ],
  statementKeysUnreachable: ['A software statement is verified with the keys of its issuer.', 'RFC 7591 section 2.3'],
  tooManyRegistrations: ['Registrations are limited by network address.', 'RFC 7591 section 5'],
  tooManyClients: ['An application has at most 10,000 self-registered clients.', 'RFC 7591 section 5'],
  tooManyClientAttempts: [
    'Failed client authentications are limited per client and address.',
    'row 42, RFC 6749 section 2.3.1',
  ],

  // Devices
  authorizationPending: ['A device waits until a person has decided.', 'RFC 8628 section 3.5'],
  slowDown: ['A device waits at least the interval between two polls.', 'RFC 8628 section 3.5'],
  deviceCodeExpired: ['A device code is good for ten minutes.', 'RFC 8628 section 3.2'],
  deviceDenied: ['A device gets tokens only if a person approves it.', 'RFC 8628 section 3.5'],
  deviceUserNotAllowed: ['The setting access of an application says who may sign in to it.', 'RFC 8628 section 3.5'],
  deviceCodeInvalid: [
    'A device code is good for the client that asked for it, at its application.',
    'RFC 8628 section 3.4',
  ],
  deviceCodeRedeemed: ['A device code gives tokens once.', 'RFC 8628 section 3.4'],
  tooManyDeviceRequests: [
    'Device authorization requests of clients without a secret are limited by network address.',
    'RFC 8628 section 5.2',
  ],
  userCodeInvalid: ['A person approves a device by the code that it shows.', 'RFC 8628 section 3.3'],
  tooManyUserCodes: ['Guesses at the codes of devices are limited, on all nodes together.', 'RFC 8628 section 5.1'],

  // Authorization endpoint
  clientIdMissing: ['An authorization request names its client once.', 'row 11, RFC 6749 section 4.1.1'],
  clientUnknown: [
    'The client_id must be that of a client of the application in the path.',
    'row 11, RFC 6749 section 4.1.1',
  ],
  redirectUriMissing: ['An authorization request has one redirect_uri.', 'row 11, RFC 6749 section 3.1.2.3'],
  redirectUriUntrusted: [
    'The redirect_uri is compared with the registered ones as text, character by character.',
    'row 12, RFC 6749 section 3.1.2.3, RFC 9700 section 4.1.3',
  ],
  responseTypeMissing: ['An authorization request has a response_type.', 'row 14, RFC 6749 section 3.1.1'],
  responseTypeUnsupported: ['response_type is code, id_token, or id_token token.', 'row 14, RFC 6749 section 3.1.1'],
  responseTypeNotAllowed: [
    'The flow of the response_type must be among the grant_types of the client.',
    'row 14, RFC 7591 section 2',
  ],
  responseModeInvalid: [
    'response_mode is query, fragment or form_post.',
    'row 20, OAuth 2.0 Multiple Response Types section 2.1',
  ],
  scopeInvalid: ['Each scope must be known and allowed.', 'rows 18, 23 and 39, RFC 6749 section 3.3'],
  requestUriInvalid: [
    'A pushed request is good once, for a minute, and for the client that pushed it.',
    'RFC 9126 sections 2.2 and 4',
  ],
  pushedRequestRequired: [
    'A client with require_pushed_authorization_requests pushes its requests.',
    'RFC 9126 section 6',
  ],
  targetInvalid: [
    'Each resource must be an API of the application that the client and the grant may reach.',
    'RFC 8707 section 2',
  ],
  codeChallengeInvalid: [
    'code_challenge is the base64url of a SHA-256: 43 characters.',
    'row 19, RFC 7636 section 4.2',
  ],
  codeChallengeMethodInvalid: ['code_challenge_method is S256.', 'row 19, RFC 7636 section 4.3'],
  requestNotSupported: ['Request objects are not supported.', 'row 21, OpenID Connect Core section 6'],
  requestUriNotSupported: [
    'Request objects by reference are not supported.',
    'row 21, OpenID Connect Core section 6.2',
  ],
  loginRequired: ['prompt=none forbids to ask the user to sign in.', 'row 21, OpenID Connect Core section 3.1.2.6'],
  consentRequired: [
    'prompt=none forbids to ask the user for consent.',
    'rows 21 and 27, OpenID Connect Core section 3.1.2.6',
  ],
  authenticationRequirementsUnmet: [
    'An essential acr must be one that the server supports and the user can reach; mfa: required needs a second factor.',
    'row 21, OpenID Connect Core section 5.5.1.1',
  ],
  userCancelled: ['The user may refuse.', 'row 24, RFC 6749 section 4.1.2.1'],
  userNotAllowed: ['An application may admit some of the users only (access).', 'RFC 6749 section 4.1.2.1'],

  // Sign-in pages and logout
  pendingRequestExpired: ['A sign-in page is good for ten minutes, in the browser that it was made for.', 'row 26'],
  formReplayed: ['A sign-in form is good for one login.', 'row 25'],
  codeWrong: [
    'A code of the authenticator app, a recovery code or the code of a mail must be right, and each is good once.',
    'RFC 6238 section 5.2',
  ],
  codesExhausted: ['Five wrong codes end a sign-in.', 'RFC 6238 section 5.1'],
  passkeyRefused: [
    'A passkey answers the challenge of the page, for this server and this user, once.',
    'WebAuthn level 3 section 7.2',
  ],
  passkeysOff: ['Passkeys are taken where the application has passkeys: true.', 'WebAuthn level 3 section 5.1.3'],
  formFromElsewhere: ['Forms are taken from the pages of this server alone.', 'row 25'],
  resetLinkInvalid: [
    'A link to a new password works once, for 30 minutes (an invitation 7 days), for the newest request.',
    'row 42',
  ],
  signUpNotAllowed: ['People sign up where the application has sign_up: true, and the server sends mail.', 'row 2'],
  mailLinkInvalid: [
    'The link and the code of a mail work once, for their time, and only those of the newest mail.',
    'row 42',
  ],
  emailNotVerifiable: ['A verified address is demanded only where the server sends mail.', 'row 2'],
  tooManyMailRequests: [
    'Requests for mails are limited per network address and per user.',
    'row 42, RFC 6585 section 4',
  ],
  signInNeeded: ['The form belongs to the user who is signed in.', 'row 25'],
  postLogoutRedirectUriUntrusted: [
    'The post_logout_redirect_uri is compared with the registered ones of the client as text.',
    'OpenID Connect RP-Initiated Logout section 3',
  ],
  logoutClientMismatch: [
    'The client_id must be that of a client, the one of the id_token_hint if there is one.',
    'OpenID Connect RP-Initiated Logout section 2',
  ],

  // Token endpoint
  grantTypeUnsupported: ['grant_type names a grant of this server, spelt exactly.', 'row 36, RFC 6749 section 5.2'],
  grantTypeNotAllowed: ['The grant_type must be among the grant_types of the client.', 'row 36, RFC 7591 section 2'],
  redirectUriDiffers: ['The redirect_uri is the one of the authorization request.', 'row 38, RFC 6749 section 4.1.3'],
  codeUnknown: ['The code must have been issued by this application.', 'row 37, RFC 6749 section 4.1.3'],
  codeInvalid: ['A code can be redeemed by the client that it was issued to.', 'row 37, RFC 6749 section 4.1.3'],
  codeExpired: ['A code is good for five minutes.', 'row 37, RFC 6749 section 4.1.2'],
  codeReplayed: ['A code is redeemed once. A second use revokes its tokens.', 'row 38, RFC 6749 section 4.1.2'],
  verifierWrong: ['The SHA-256 of the code_verifier is the code_challenge.', 'row 37, RFC 7636 section 4.6'],
  verifierUnexpected: ['A code_verifier belongs to a code with a code_challenge.', 'row 37, RFC 9700 section 2.1.1'],
  refreshTokenInvalid: ['The refresh token must be a live one of this client.', 'row 41, RFC 6749 section 6'],
  refreshTokenExpired: [
    'A refresh token ends with its lifetime, and with that of its login.',
    'row 41, RFC 6749 section 6',
  ],
  refreshTokenReused: ['A rotated refresh token is not used again.', 'row 41, RFC 9700 section 4.14.2'],
  codeKeyDiffers: [
    'A code whose authorization request named a key is redeemed by the holder of this key.',
    'RFC 9449 section 10',
  ],
  refreshKeyDiffers: [
    'The refresh token of a client without a secret is bound to the key of its first proof.',
    'RFC 9449 section 5',
  ],
  proofInvalid: ['A DPoP proof is made for one request, with the key that the token is bound to.', PROOF_CHECKS],
  nonceNeeded: [FRESH_PROOF, 'RFC 9449 section 8'],
  credentialsWrong: ['User name and password must be right, and the user enabled.', 'row 42, RFC 6749 section 4.3.2'],
  secondFactorNeeded: [
    'A user who has a second factor, or needs one, signs in on the pages of this server.',
    'row 42, RFC 6749 section 4.3.2',
  ],
  passwordChangeNeeded: [
    'A user who has to set a new password signs in on the pages of this server.',
    'row 42, RFC 6749 section 4.3.2',
  ],
  emailUnverified: [
    'Where the application demands a verified address, a user without one signs in on the pages of this server.',
    'row 42, RFC 6749 section 4.3.2',
  ],
  passwordUserNotAllowed: ['An application may admit some of the users only (access).', 'row 42, RFC 6749 section 5.2'],
  refreshUserNotAllowed: [
    'An application may admit some of the users only (access), and a refresh asks again.',
    'RFC 6749 sections 5.2 and 6',
  ],
  subjectTokenInvalid: [
    'The subject_token is a live access token that was issued to the client, or is for an API of the client.',
    'RFC 8693 sections 2.1 and 2.2.2',
  ],
  subjectNotAllowed: [
    'An application may admit some of the users only (access), and a token exchange asks again.',
    'RFC 8693 section 2.2.2',
  ],
  subjectTokenBound: [
    'A token that is bound to a key is exchanged only with a proof by this key.',
    'RFC 8693 section 2.2.2, RFC 7800 section 3.1',
  ],
  subjectTokenTooDeep: ['A token is exchanged five times at most.', 'RFC 8693 sections 2.2.2 and 4.1'],
  actorTokenInvalid: [
    'The actor_token is a live access token of the client itself.',
    'RFC 8693 sections 2.1 and 2.2.2',
  ],
  exchangeNotAllowed: [
    'A token is exchanged for one that a policy of the application names (token_exchange).',
    'RFC 8693 section 2.2.2',
  ],
  exchangeScopeInvalid: [
    'An exchanged token has no scope beyond its policy, its API and what the subject_token was left with.',
    'RFC 8693 sections 2.1 and 2.2.2',
  ],
  tooManyAttempts: ['Failed logins are limited per login name and per address, wrong codes per account.', 'row 42'],

  // Introspection, userinfo
  introspectionTokenMissing: ['An introspection request has a token.', 'row 50, RFC 7662 section 2.1'],
  introspectionParameterRepeated: ['A parameter is in the body or in the query, once.', 'row 50'],
  bearerMissing: ['A protected resource needs an access token.', 'row 54, RFC 6750 section 3'],
  tokenInvalid: ['The access token must be a live one of this application.', 'row 54, RFC 6750 section 3.1'],
  proofInvalidWithToken: ['A DPoP proof is made for one request, and for the token that it goes with.', PROOF_CHECKS],
  nonceNeededWithToken: [FRESH_PROOF, 'RFC 9449 section 9'],
  bearerTwice: ['An access token is sent in one place.', 'RFC 6750 section 2'],
  scopeInsufficient: ['The access token must allow what is asked for.', 'row 54, RFC 6750 section 3.1'],
  authenticationInsufficient: [
    'The login of the access token must be as strong and as new as the application demands for userinfo.',
    'RFC 9470 section 3',
  ],

  // Admin API
  operatorUnknown: ['The admin API needs an API key or the access token of an operator.', 'RFC 6750 section 3'],
  operatorKeyInvalid: ['The API key must exist and not have expired.', 'RFC 6750 section 3.1'],
  operatorScopeMissing: ['An access token must allow what is asked for.', 'RFC 6750 section 3.1'],
  ownerLinkInvalid: ['The link for the first owner works for one hour, and once.', 'RFC 9110 section 15.5.4'],
  operatorFactorMissing: ['The login of an operator must have two factors.', 'RFC 9470 section 3'],
  operatorNeeded: ['The console is for users with a role.', 'RFC 9110 section 15.5.4'],
  roleTooLow: ['Each operation needs a role.', 'RFC 9110 section 15.5.4'],
  objectUnknown: ['The object must exist, in an application that the caller has access to.', 'RFC 9110 section 15.5.5'],
  objectConflict: ['A change must fit what is stored.', 'RFC 9110 section 15.5.10'],
  idempotencyKeyReused: ['An Idempotency-Key stands for one request.', 'RFC 9110 section 15.5.10'],
  objectChanged: ['If-Match must name the present state of the object.', 'RFC 9110 section 13.1.1'],
  valuesInvalid: ['Every field must be known and have an allowed value.', 'RFC 9457 section 3'],
  tooManyOperatorAttempts: ['Requests with wrong keys are limited per address.', 'RFC 6585 section 4'],

  // The server itself
  hashQueueFull: ['Password checks wait in a bounded queue.', 'row 32'],
  serverBusy: ['The server handles a bounded number of requests at a time.', 'row 32'],
  storeUnavailable: ['A request needs the database.', 'row 32'],
  serverError: ['The server failed because of a fault of its own.', 'RFC 9110 section 15.6.1'],
};

export function ruleOf(reason: FailureName): Rule {
  const [text, reference] = RULES[reason];
  return { text, reference };
}

export function isExplained(reason: string): reason is FailureName {
  return Object.hasOwn(RULES, reason);
}
