import type { FailureDefinition } from '../../platform/http/failure-definition.rules.ts';

/** Failures that reach a browser: error pages, and errors that are sent back to the client by a redirect. */
export const errorsForBrowsers = {
  // Authorization endpoint, before the redirect address is trusted: shown as a page
  clientIdMissing: {
    error: 'invalid_request',
    status: 400,
    description: 'OAuth 2.0 Parameter: client_id',
    cause: 'The authorization request has no client_id, or more than one.',
    fix: 'Send the client_id that was given to your client, once.',
  },
  clientUnknown: {
    error: 'invalid_client',
    status: 400,
    description: 'OAuth 2.0 Parameter: client_id',
    cause: 'The application in the path has no client with this client_id.',
    fix: 'Check the client_id and the app_code: a client belongs to exactly one application.',
  },
  redirectUriMissing: {
    error: 'invalid_request',
    status: 400,
    description: 'OAuth 2.0 Parameter: redirect_uri',
    cause: 'The authorization request has no redirect_uri, or more than one.',
    fix: 'Send one of the redirect addresses registered for the client, once, URL-encoded.',
  },
  redirectUriUntrusted: {
    error: 'invalid_request',
    status: 400,
    description: 'OAuth 2.0 Parameter: redirect_uri',
    cause: 'The redirect_uri is not registered for this client. It is compared character by character.',
    fix: 'Register the address exactly as it is sent: scheme, host, port, path, trailing slash and query included. Only the port of http://127.0.0.1 and http://[::1] is free, and of http://localhost for a client without a secret.',
  },

  // Authorization endpoint, sent back to the client
  responseTypeMissing: {
    error: 'invalid_request',
    status: 400,
    description: 'OAuth 2.0 Parameter: response_type',
    cause: 'The authorization request has no response_type.',
    fix: 'Send response_type=code.',
  },
  responseTypeUnsupported: {
    error: 'unsupported_response_type',
    status: 400,
    description: 'OAuth 2.0 Parameter: response_type',
    cause: 'response_type is none of: code; id_token; id_token token.',
    fix: 'Use response_type=code, with PKCE.',
  },
  responseTypeNotAllowed: {
    error: 'unauthorized_client',
    status: 400,
    description: 'This client may not use this response_type: {parameter}.',
    cause:
      'The response_type is supported, but its flow is not among the grant_types of the client. Or the client has dpop_bound_access_tokens, and id_token token would give it a bearer token.',
    fix: 'Add "authorization_code" (for code) or "implicit" (for id_token) to the grant_types of the client, or use another flow.',
  },
  scopeInvalid: {
    error: 'invalid_scope',
    status: 400,
    description: 'OAuth 2.0 Parameter: scope',
    cause:
      'A scope is unknown, not allowed to the client, wider than the grant that is refreshed, or (response_type=id_token) lacks openid.',
    fix: 'Ask for a subset of openid, profile, email, phone, address and offline_access that the client is registered for. The log line of the request names the scope.',
  },
  requestUriInvalid: {
    error: 'invalid_request_uri',
    status: 400,
    description: 'OAuth 2.0 Parameter: request_uri',
    cause:
      'The pushed request was used before, is older than a minute, was pushed by another client, or never existed.',
    fix: 'Push the request again for each login (RFC 9126). If a user comes back to an old address, start the login anew.',
  },
  pushedRequestRequired: {
    error: 'invalid_request',
    status: 400,
    description: 'This client must push its authorization requests: the parameter request_uri is missing.',
    cause:
      'The client is registered with require_pushed_authorization_requests, and the request came through the browser.',
    fix: 'Send the parameters to the pushed_authorization_request_endpoint, and the request_uri of its answer to /auth.',
  },
  targetInvalid: {
    error: 'invalid_target',
    status: 400,
    description: 'OAuth 2.0 Parameter: resource',
    cause:
      'A resource is no API of the application, the client is registered for none of its scopes, or the grant does not cover it. Or several APIs share a scope, and no resource says which is meant. A token request takes one resource.',
    fix: 'Send the identifier of an API exactly as the application has it, and register the client for a scope of it.',
  },
  codeChallengeInvalid: {
    error: 'invalid_request',
    status: 400,
    description: 'OAuth 2.0 Parameter: code_challenge',
    cause: 'code_challenge is not 43 base64url characters, is missing beside its method, or this client must use PKCE.',
    fix: 'Send base64url(SHA-256(code_verifier)), with code_challenge_method=S256.',
  },
  codeChallengeMethodInvalid: {
    error: 'invalid_request',
    status: 400,
    description: 'OAuth 2.0 Parameter: code_challenge_method',
    cause: 'code_challenge_method is missing beside a code_challenge, or is not S256. "plain" is not accepted.',
    fix: 'Send code_challenge_method=S256.',
  },
  responseModeInvalid: {
    error: 'invalid_request',
    status: 400,
    description: 'OAuth 2.0 Parameter: response_mode',
    cause:
      'response_mode is none of query, fragment and form_post, or asks for tokens in the query of a strict_oidc application.',
    fix: 'Leave response_mode out, or send one of the three.',
  },
  requestNotSupported: {
    error: 'request_not_supported',
    status: 400,
    description: 'Request objects (parameter request) are not supported.',
    cause: 'The authorization request carries a JWT in the parameter request.',
    fix: 'Send the parameters one by one.',
  },
  requestUriNotSupported: {
    error: 'request_uri_not_supported',
    status: 400,
    description: 'Request objects by reference (parameter request_uri) are not supported.',
    cause: 'The authorization request carries request_uri.',
    fix: 'Send the parameters one by one.',
  },
  loginRequired: {
    error: 'login_required',
    status: 400,
    description: 'The user is not signed in, or has to sign in again, and prompt=none forbids asking.',
    cause:
      'prompt=none without a session, with one older than max_age, or with one of another user than id_token_hint.',
    fix: 'Send the user through an authorization request without prompt=none.',
  },
  consentRequired: {
    error: 'consent_required',
    status: 400,
    description: 'The user has not agreed to these scopes yet, and prompt=none forbids asking.',
    cause:
      'prompt=none for scopes the user has not agreed to, by a client with require_consent or a native client (no secret, and a loopback or private-scheme address). Of a client that has registered itself, every request needs the consent anew.',
    fix: 'Send the user through an authorization request without prompt=none.',
  },
  authenticationRequirementsUnmet: {
    error: 'unmet_authentication_requirements',
    status: 400,
    description: 'This server cannot meet the authentication requirements of the request.',
    cause: 'The parameter claims asks for an acr, as essential, that is not among acr_values_supported.',
    fix: 'Ask for an acr of the discovery document, or do not ask for it as essential.',
  },
  userCancelled: {
    error: 'access_denied',
    status: 400,
    description: 'The user cancelled the request.',
    cause: 'The user chose to cancel on the sign-in page, or refused consent.',
    fix: 'Offer the user to try again. It is not a fault of the client.',
  },
  userNotAllowed: {
    error: 'access_denied',
    status: 400,
    description: 'The user has no access to this application.',
    cause: 'The application has the setting access, and the user is in none of its groups, roles and users.',
    fix: 'Tell the user. An operator can give the user one of the groups or roles, or change the setting of the application.',
  },

  // Logout (RP-Initiated Logout), shown as a page
  postLogoutRedirectUriUntrusted: {
    error: 'invalid_request',
    status: 400,
    description: 'OAuth 2.0 Parameter: post_logout_redirect_uri',
    cause:
      'The post_logout_redirect_uri is not registered for the client, or the request names no client it could be checked against.',
    fix: 'Register the address exactly as it is sent, and send id_token_hint or client_id with it.',
  },
  logoutClientMismatch: {
    error: 'invalid_request',
    status: 400,
    description: 'OAuth 2.0 Parameter: client_id',
    cause:
      'The logout request names a client that does not exist, or another one than its id_token_hint was issued to.',
    fix: 'Send the client_id of the client that the ID token was issued to, or leave it out.',
  },
  signInNeeded: {
    error: 'login_required',
    status: 403,
    description: 'You are not signed in any more.',
    cause: 'A form of the account or consent page was sent after the session had ended, or by another user.',
    fix: 'Sign in again.',
  },

  // Forgotten passwords, shown as a page
  resetLinkInvalid: {
    error: 'invalid_request',
    status: 400,
    description: 'This link to a new password does not work any more.',
    cause:
      'The link was used, a newer one replaced it, it is older than 30 minutes (7 days for an invitation), or it is not complete. It also ends when the password or the e-mail address changes, and when the user is disabled.',
    fix: 'Ask for a new link at /forgot-password, and use the newest mail. An operator can send an invitation again.',
  },
  tooManyMailRequests: {
    error: 'temporarily_unavailable',
    status: 429,
    description: 'Too many mails were asked for from this network address, or for this user. Try again later.',
    cause:
      'Each network address can ask for 20 mails at once, and for one more every 30 seconds. A user who is signed in can cause 20 mails at once, and one more every 6 minutes.',
    fix: 'Wait as many seconds as the Retry-After header says.',
  },

  // Sign-up and e-mail addresses, shown as a page
  signUpNotAllowed: {
    error: 'access_denied',
    status: 403,
    description: 'People cannot make an account for this application.',
    cause: 'The application has not sign_up: true, or the server has no MAIL_URL and can confirm no address.',
    fix: 'Set sign_up: true for the application, and MAIL_URL for the server. Otherwise ask an operator for an account.',
  },
  mailLinkInvalid: {
    error: 'invalid_request',
    status: 400,
    description: 'This link or code of a mail does not work any more.',
    cause:
      'It was used, a newer mail replaced it, or it is too old: 30 minutes for one that confirms an address, 7 days for one that undoes a change. A link that undoes a change ends also when the password, a factor or the address is changed, and when the user is signed out everywhere or disabled. The address may also belong to another user meanwhile.',
    fix: 'Begin again, and use the newest mail. If somebody else has changed your address, ask an operator for help.',
  },
  emailNotVerifiable: {
    error: 'access_denied',
    status: 403,
    description: 'The e-mail address has to be verified, and this server sends no mail.',
    cause: 'The application has require_verified_email: true, and the server has no MAIL_URL.',
    fix: 'Set MAIL_URL, or verify the address of the user as an operator.',
  },

  // Pages between the authorization request and its response
  pendingRequestExpired: {
    error: 'invalid_request',
    status: 400,
    description: 'This sign-in page has expired, or belongs to another browser.',
    cause:
      'More than ten minutes passed since the authorization request, cookies are blocked, or the address was opened in another browser.',
    fix: 'Go back to the application and start again. Cookies must be allowed for this server.',
  },
  formReplayed: {
    error: 'invalid_request',
    status: 400,
    description: 'This form was already sent.',
    cause: 'A sign-in form was sent a second time after it had succeeded.',
    fix: 'Go back to the application and start again.',
  },
  codeWrong: {
    error: 'access_denied',
    status: 400,
    description: 'The code is not right, or was used before.',
    cause:
      'The one-time password belongs to another key or time, or was accepted before; or the recovery code is none of the user, or was spent; or the code is not that of the newest mail.',
    fix: 'Type the next code, or that of the newest mail. If that does not help, check the clock of the device, or use a recovery code.',
  },
  codesExhausted: {
    error: 'access_denied',
    status: 403,
    description: 'Too many wrong codes in this sign-in.',
    cause: 'Five codes of one sign-in were wrong.',
    fix: 'Go back to the application and sign in again.',
  },
  passkeyRefused: {
    error: 'access_denied',
    status: 400,
    description: 'The passkey was not accepted.',
    cause:
      'The passkey is none of this server or user, the answer belongs to another page, browser or site, the user was not verified although that is needed, or the counter of the authenticator did not rise.',
    fix: 'Try again on the page, or sign in with the password.',
  },
  passkeysOff: {
    error: 'access_denied',
    status: 403,
    description: 'This application takes no passkeys.',
    cause: 'The application has passkeys: false, or BASE_URL has a network address instead of a domain name.',
    fix: 'Sign in with the password. An operator can turn passkeys on for the application.',
  },
  formFromElsewhere: {
    error: 'invalid_request',
    status: 403,
    description: 'This form was not sent from a page of this server.',
    cause: 'The Origin or Sec-Fetch-Site header says that another site sent the form.',
    fix: 'Forms of this server can only be sent from its own pages. Behind a proxy, check that BASE_URL is the public address.',
  },
} as const satisfies Record<string, FailureDefinition>;
