import type { FailureDefinition } from '../../platform/http/failure-definition.rules.ts';

/** Failures of the grants of the token endpoint (RFC 6749 section 5.2), which a program receives as JSON. */

/** interface 7.1: one text for several causes. The log names the cause. */
const CODE_INVALID = 'The authorization code is invalid or has expired.';
const REFRESH_TOKEN_INVALID = 'The refresh token is invalid or expired.';

export const errorsForTokenEndpoint = {
  grantTypeUnsupported: {
    error: 'unsupported_grant_type',
    status: 400,
    description: 'OAuth 2.0 Parameter: grant_type',
    cause:
      'grant_type is none of authorization_code, refresh_token, client_credentials, password, urn:ietf:params:oauth:grant-type:token-exchange and urn:ietf:params:oauth:grant-type:device_code.',
    fix: 'Check the spelling; the value is compared exactly. grant_types_supported in the discovery document lists the grants.',
  },
  grantTypeNotAllowed: {
    error: 'unauthorized_client',
    status: 400,
    description: 'This client may not use this grant_type.',
    cause: 'The grant type is not among the grant_types the client is registered with.',
    fix: 'Add it to the grant_types of the client. The password grant is off unless it is listed.',
  },
  redirectUriDiffers: {
    error: 'invalid_grant',
    status: 400,
    description: 'The redirect_uri does not match the redirection URI used in the authorization request.',
    cause: 'The redirect_uri of the token request is not the one of the authorization request.',
    fix: 'Send the same redirect_uri, character by character, in both requests.',
  },
  codeUnknown: {
    error: 'invalid_grant',
    status: 400,
    description: 'Client authentication failed: code',
    cause: 'This application never issued the code.',
    fix: 'Take the code from the redirect unchanged (URL-decoded once), and send it to the application that issued it.',
  },
  codeInvalid: {
    error: 'invalid_grant',
    status: 400,
    description: CODE_INVALID,
    cause: 'The code was issued to another client, or its user has signed out, is disabled or was deleted.',
    fix: 'Send the code with the credentials of the client that asked for it.',
  },
  codeExpired: {
    error: 'invalid_grant',
    status: 400,
    description: CODE_INVALID,
    cause:
      "The code is older than five minutes, or was revoked before: by a logout, a withdrawn consent, or the end of its user's access.",
    fix: 'Redeem the code as soon as the browser brings it. Check the clocks if it was fresh.',
  },
  codeReplayed: {
    error: 'invalid_grant',
    status: 400,
    description: CODE_INVALID,
    cause: 'The code was redeemed before. All tokens that came from it were revoked (RFC 6749 section 4.1.2).',
    fix: 'Redeem each code once. A frequent reason is a callback page that is loaded again, or a retry of the token request.',
  },
  verifierWrong: {
    error: 'invalid_grant',
    status: 400,
    description: 'Client authentication failed: code_verifier',
    cause:
      'The authorization request had a code_challenge, and code_verifier is missing, malformed or does not hash to it.',
    fix: 'Send the verifier that the challenge was made from: 43 to 128 characters of A-Z a-z 0-9 - . _ ~.',
  },
  verifierUnexpected: {
    error: 'invalid_grant',
    status: 400,
    description: 'Client authentication failed: code_challenge',
    cause: 'The token request has a code_verifier, but the authorization request had no code_challenge.',
    fix: 'Send code_challenge and code_challenge_method=S256 in the authorization request.',
  },
  refreshTokenInvalid: {
    error: 'invalid_grant',
    status: 400,
    description: REFRESH_TOKEN_INVALID,
    cause:
      'The refresh token is unknown to this application, revoked, or of another client. Its user may also be deleted, disabled or signed out.',
    fix: 'Keep the newest refresh_token of each answer. When it is refused, send the user through the login again.',
  },
  refreshTokenExpired: {
    error: 'invalid_grant',
    status: 400,
    description: REFRESH_TOKEN_INVALID,
    cause:
      'The refresh token is older than refresh_token_ttl of the application, or its login is older than refresh_family_ttl.',
    fix: 'Send the user through the login again.',
  },
  refreshTokenReused: {
    error: 'invalid_grant',
    status: 400,
    description: REFRESH_TOKEN_INVALID,
    cause:
      'The refresh token was replaced by a newer one, and was used again after the grace period or after the newer one was used. It may have been stolen, so every token of this login was revoked.',
    fix: 'Store the newest refresh_token of each answer before anything else uses it, and send no older one. Send the user through the login again. If none of your programs sends old tokens, assume that this one was stolen.',
  },
  refreshUserNotAllowed: {
    error: 'invalid_grant',
    status: 400,
    description: REFRESH_TOKEN_INVALID,
    cause:
      'The application has the setting access, and does not admit the user any more. The refresh token stays as it is.',
    fix: 'Send the user through the login again, which says so. An operator can give the user a group or role that the application admits.',
  },
  codeKeyDiffers: {
    error: 'invalid_grant',
    status: 400,
    description: CODE_INVALID,
    cause:
      'The authorization request named a key (dpop_jkt, or a DPoP proof at /par), and the proof is by another key.',
    fix: 'Make the proof with the key of the authorization request. The code is not spent.',
  },
  refreshKeyDiffers: {
    error: 'invalid_grant',
    status: 400,
    description: REFRESH_TOKEN_INVALID,
    cause:
      'The refresh token of a client without a secret is bound to the key of its first DPoP proof, and this proof is by another key.',
    fix: 'Keep the key as long as the refresh token, or send the user through the login again. The refresh token stays as it is.',
  },
  proofInvalid: {
    error: 'invalid_dpop_proof',
    status: 400,
    description: 'DPoP proof: {parameter}',
    cause:
      'The header DPoP is missing where the client, the API, the code or the refresh token needs it, or a check of the proof failed: the description names the header or claim.',
    fix: 'Make a new proof for each request: typ dpop+jwt, the public key as jwk, htm and htu of this request, iat, and a jti that was never used.',
  },
  nonceNeeded: {
    error: 'use_dpop_nonce',
    status: 400,
    description: 'The DPoP proof needs the nonce of the header DPoP-Nonce.',
    cause:
      'The iat of the proof differs from the clock of the server by more than a minute, or its nonce is not of this server or too old.',
    fix: 'Send the request again with a new proof that has the value of the header DPoP-Nonce as nonce. Client libraries do so by themselves.',
  },
  credentialsWrong: {
    error: 'invalid_grant',
    status: 400,
    description: 'The username or password is incorrect.',
    cause: 'Unknown user, wrong password or disabled user. The response does not say which.',
    fix: 'Ask the user to try again.',
  },
  secondFactorNeeded: {
    error: 'invalid_grant',
    status: 400,
    // The same text: it must not tell that the password is right.
    description: 'The username or password is incorrect.',
    cause: 'The user has a second factor, or the application requires one, and the password grant cannot ask for it.',
    fix: 'Send the user through an authorization request.',
  },
  passwordChangeNeeded: {
    error: 'invalid_grant',
    status: 400,
    // The same text, for the same reason.
    description: 'The username or password is incorrect.',
    cause: 'The user has to set a new password (require_password_change), and the password grant cannot ask for it.',
    fix: 'Send the user through an authorization request.',
  },
  emailUnverified: {
    error: 'invalid_grant',
    status: 400,
    // The same text, for the same reason.
    description: 'The username or password is incorrect.',
    cause: 'The application has require_verified_email: true, and the e-mail address of the user is not verified.',
    fix: 'Send the user through an authorization request, which asks for the code of a mail.',
  },
  passwordUserNotAllowed: {
    error: 'invalid_grant',
    status: 400,
    // The same text, for the same reason.
    description: 'The username or password is incorrect.',
    cause: 'The application has the setting access, and the user is in none of its groups, roles and users.',
    fix: 'An operator can give the user one of the groups or roles, or change the setting of the application.',
  },
  subjectTokenInvalid: {
    error: 'invalid_request',
    status: 400,
    description: 'OAuth 2.0 Parameter: subject_token',
    cause:
      'The subject_token is no live access token of this application, or not of the subject_token_type; or it is neither for an API that the client is registered for (apis) nor was it issued to the client.',
    fix: 'Send an access token that a caller brought to your API, unchanged and before it expires. ID tokens and refresh tokens cannot be exchanged.',
  },
  subjectNotAllowed: {
    error: 'invalid_request',
    status: 400,
    // The same text: it must not tell more about the user.
    description: 'OAuth 2.0 Parameter: subject_token',
    cause:
      'The application has the setting access, and does not admit the user of the subject_token any more. The token stays as it is.',
    fix: 'An operator can give the user a group or role that the application admits.',
  },
  subjectTokenBound: {
    error: 'invalid_request',
    status: 400,
    description: 'OAuth 2.0 Parameter: subject_token',
    cause:
      'The subject_token is bound to a key (cnf), and the request does not prove the possession of this key: it would become a token that anybody can use.',
    fix: 'Let the client that the token was issued to exchange it, with a proof by the same key.',
  },
  subjectTokenTooDeep: {
    error: 'invalid_request',
    status: 400,
    description: 'OAuth 2.0 Parameter: subject_token',
    cause: 'The subject_token is the result of five exchanges, and a token can be exchanged no more often.',
    fix: 'Look for services that call each other in a circle. Let each of them exchange the token that the first one received.',
  },
  actorTokenInvalid: {
    error: 'invalid_request',
    status: 400,
    description: 'OAuth 2.0 Parameter: actor_token',
    cause:
      'The actor_token is no live access token of this application that was issued to the client, or not of the actor_token_type; or it is bound to a key that the request does not prove.',
    fix: 'Send an access token of the client itself, such as one of client_credentials, or leave actor_token out.',
  },
  exchangeNotAllowed: {
    error: 'invalid_target',
    status: 400,
    description: 'OAuth 2.0 Parameter: {parameter}',
    cause:
      'No policy of the application (token_exchange) leads from the subject_token, or from the client, to this API; or the request names no API, and the policies lead to several.',
    fix: 'Name one API as resource or audience. An operator can add a policy to the application.',
  },
  exchangeScopeInvalid: {
    error: 'invalid_scope',
    status: 400,
    description: 'OAuth 2.0 Parameter: scope',
    cause:
      'A scope is not in the policy (token_exchange), is none of the API, or was left out of the subject_token although its own API has it.',
    fix: 'Leave scope out to get all that the policy allows, or ask for some of it.',
  },
  tooManyAttempts: {
    error: 'temporarily_unavailable',
    status: 429,
    description: 'Too many failed attempts. Try again later.',
    cause: 'Too many failed sign-ins for this account or from this network address.',
    fix: 'Wait as many seconds as the Retry-After header says.',
  },
} as const satisfies Record<string, FailureDefinition>;
