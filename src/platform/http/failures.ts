import { errorsForTokenEndpoint } from '../../oauth/token/failures.ts';
import type { FailureDefinition } from './failure-definition.rules.ts';

/**
 * Failures that a program receives as JSON: client authentication, parameters, grants, tokens, and faults of the server
 * itself.
 */
const PARAMETER = 'OAuth 2.0 Parameter: {parameter}';

export const errorsForPrograms = {
  // Client authentication
  clientNotAuthenticated: {
    error: 'access_denied',
    status: 401,
    description: 'Full authentication is required to access this resource',
    cause: 'The request carries no client credentials (or, at introspection, no live access token).',
    fix: 'Send "Authorization: Basic base64(client_id:client_secret)". Only an authorization code with a PKCE verifier, and the refresh of a public client that sends its client_id, go without.',
  },
  clientAuthenticationFailed: {
    error: 'invalid_client',
    status: 401,
    description: 'Client authentication failed. Either the client or the client credentials are invalid.',
    cause:
      'The client_id is unknown to this application, the secret is wrong, or the Authorization header is malformed.',
    fix: 'Check that the client belongs to the application in the path, and that client_id and client_secret are joined by a colon and encoded with base64.',
  },
  severalClientAuthentications: {
    error: 'invalid_request',
    status: 400,
    description: 'Use one client authentication method, not several.',
    cause: 'The request carries both an Authorization header and a client_secret in the body, or names two clients.',
    fix: 'Send the credentials in one place only.',
  },
  tooManyPushedRequests: {
    error: 'temporarily_unavailable',
    status: 429,
    description: 'Too many pushed authorization requests. Try again later.',
    cause:
      'A client without a secret has pushed more requests from this network address than logins are likely to need.',
    fix: 'Push one request for each login, when it begins. Wait as many seconds as the Retry-After header says.',
  },

  tooManyProofs: {
    error: 'temporarily_unavailable',
    status: 429,
    description: 'Too many refused requests with a DPoP proof. Try again later.',
    cause:
      'Too many requests of clients without a secret came with a DPoP proof from this network address and were refused. The server remembers each proof.',
    fix: 'Wait as many seconds as the Retry-After header says, and look why the requests before were refused.',
  },
  tooManyClientAttempts: {
    error: 'temporarily_unavailable',
    status: 429,
    description: 'Too many failed client authentications. Try again later.',
    cause:
      'Too many requests with wrong client credentials came from this network address, so for now all are rejected, also those with the right secret. A client that authenticated from this address before is not affected.',
    fix: 'Wait as many seconds as the Retry-After header says, and check client_id and client_secret before you try again.',
  },

  // Parameters
  parameterMissing: {
    error: 'invalid_request',
    status: 400,
    description: PARAMETER,
    cause: 'The named parameter is required here and was missing or empty.',
    fix: 'Send the parameter. At the token endpoint it belongs into the form body, not into the URL.',
  },
  parameterInvalid: {
    error: 'invalid_request',
    status: 400,
    description: PARAMETER,
    cause: 'The named parameter has a value that is not allowed, or its percent-encoding is not valid UTF-8.',
    fix: 'Compare the value with the table of parameters of the endpoint.',
  },
  parameterDuplicated: {
    error: 'invalid_request',
    status: 400,
    description: PARAMETER,
    cause: 'The named parameter was sent more than once (RFC 6749 section 3.1 forbids it).',
    fix: 'Send each parameter once. A frequent reason is a parameter both in a configured URL and in the code.',
  },
  introspectionTokenMissing: {
    error: 'invalid_request',
    status: 400,
    description: 'OAuth 2.0 Token Introspection Parameter: token',
    cause: 'The introspection request has no token.',
    fix: 'Send the token as the form parameter "token".',
  },
  introspectionParameterRepeated: {
    error: 'invalid_request',
    status: 400,
    description: 'OAuth 2.0 Token Introspection Parameter: {parameter}',
    cause: 'The named parameter was sent twice, for example in the form body and in the query string.',
    fix: 'Send it in one place only, preferably in the body: addresses end up in log files.',
  },
  requestTooLarge: {
    error: 'invalid_request',
    status: 400,
    description:
      'The authorization request is longer than this server accepts (16 KiB; 4 KiB if a client without a secret pushes it).',
    cause:
      'The parameters of the authorization request take more than 16 KiB, or more than 4 KiB where a client without a secret pushes them, mostly because of a very long state.',
    fix: 'Keep what belongs to the state in your own session and send only its key.',
  },
  contentTypeInvalid: {
    error: 'invalid_request',
    status: 400,
    description: 'The Content-Type must be application/x-www-form-urlencoded.',
    cause: 'The body was sent as JSON, as plain text or without a content type.',
    fix: 'Send the parameters form-encoded; with curl that is -d name=value.',
  },
  mediaTypeUnsupported: {
    error: 'invalid_request',
    status: 415,
    description: 'The Content-Type must be {parameter}.',
    cause: 'The body has another content type than this address takes, or none.',
    fix: 'Send one of the content types that the Accept header of the answer names.',
  },
  jsonInvalid: {
    error: 'invalid_request',
    status: 400,
    description: 'The request body is not JSON that this server accepts.',
    cause:
      'The body is no JSON text, is nested deeper than 32 levels, has more than 2000 members, or has an object with two members of one name (RFC 7493), a member __proto__, or text with NUL or half a surrogate pair.',
    fix: 'The field errors of the answer points to the place. Write the body with a JSON library.',
  },
  bodyNotUtf8: {
    error: 'invalid_request',
    status: 400,
    description: 'The request body is not valid UTF-8.',
    cause: 'The body contains bytes that are not UTF-8.',
    fix: 'Encode the parameters as UTF-8 before form-encoding them.',
  },
  bodyTooLarge: {
    error: 'invalid_request',
    status: 413,
    description: 'The request body is larger than this server accepts (64 KiB).',
    cause: 'The body has more than 65,536 bytes.',
    fix: 'No request of this interface needs that much; look for a parameter that grew by mistake.',
  },
  tooManyParameters: {
    error: 'invalid_request',
    status: 400,
    description: 'The request has more parameters than this server accepts (200).',
    cause: 'The query string or the form has more than 200 parameters.',
    fix: 'No request of this interface needs that many; look for a loop that adds parameters.',
  },
  methodNotAllowed: {
    error: 'invalid_request',
    status: 405,
    description: 'This address does not answer the method {parameter}.',
    cause: 'The endpoint was called with another HTTP method than the one in the Allow header.',
    fix: 'Use the method named in the Allow header. Token and introspection requests are POST.',
  },
  notFound: {
    error: 'not_found',
    status: 404,
    description: 'There is nothing at this address.',
    cause: 'This server has no such path.',
    fix: 'Take the addresses of the endpoints from {issuer}/.well-known/openid-configuration.',
  },
  applicationUnknown: {
    error: 'not_found',
    status: 404,
    description: 'There is no application with this code.',
    cause: 'The segment after /api/v1/authorize/ names no application of this server.',
    fix: 'Check the app_code in the address; applications are created with "gatehouse apply".',
  },

  ...errorsForTokenEndpoint,

  // Protected resources (RFC 6750)
  bearerMissing: {
    error: 'access_denied',
    status: 401,
    description: 'Full authentication is required to access this resource',
    cause: 'The request has no access token.',
    fix: 'Send "Authorization: Bearer <access token>", with the scheme DPoP if its token_type is DPoP. A token in the URL is ignored.',
  },
  tokenInvalid: {
    error: 'invalid_token',
    status: 401,
    description: 'The access token is invalid, expired or revoked.',
    cause:
      'The access token is unknown to this application, expired or revoked, or its user was deleted or disabled. Or it is bound to another key than that of the DPoP proof, or came under another scheme than its token_type. Refresh tokens and ID tokens are not access tokens.',
    fix: 'Refresh the token, or send the user through the login again.',
  },
  authenticationInsufficient: {
    error: 'insufficient_user_authentication',
    status: 401,
    description: 'The login of this access token does not meet the authentication requirements.',
    cause:
      'The application demands a class or an age of the login for userinfo (userinfo_acr_values, userinfo_max_age), and the login of the token is weaker or older.',
    fix: 'Send the user through an authorization request with the acr_values and max_age of the WWW-Authenticate header, and use the new token.',
  },
  proofInvalidWithToken: {
    error: 'invalid_dpop_proof',
    status: 401,
    description: 'DPoP proof: {parameter}',
    cause:
      'The access token is bound to a key, and the header DPoP is missing, or a check of the proof failed: the description names the header or claim.',
    fix: 'Make a new proof for each request: typ dpop+jwt, the public key as jwk, htm and htu of this request, iat, a new jti, and ath, the hash of the access token.',
  },
  nonceNeededWithToken: {
    error: 'use_dpop_nonce',
    status: 401,
    description: 'The DPoP proof needs the nonce of the header DPoP-Nonce.',
    cause:
      'The iat of the proof differs from the clock of the server by more than a minute, or its nonce is not of this server or too old.',
    fix: 'Send the request again with a new proof that has the value of the header DPoP-Nonce as nonce. Client libraries do so by themselves.',
  },
  bearerTwice: {
    error: 'invalid_request',
    status: 400,
    description: 'Send the access token in one place, not in two.',
    cause: 'The request carries an access token both in the Authorization header and in the body.',
    fix: 'Use the Authorization header.',
  },
  scopeInsufficient: {
    error: 'insufficient_scope',
    status: 403,
    description: 'The access token does not allow this.',
    cause: 'The token belongs to no user, or (strict_oidc) was granted without the scope openid.',
    fix: 'Ask for the scope openid in the authorization request.',
  },

  // The server itself
  hashQueueFull: {
    error: 'temporarily_unavailable',
    status: 503,
    description: 'The server is busy. Try again in a moment.',
    cause: 'The queue of sign-ins that wait for their password check is full.',
    fix: 'Try again after the seconds of the Retry-After header. If it happens often, add processors or nodes.',
  },
  serverBusy: {
    error: 'temporarily_unavailable',
    status: 503,
    description: 'The server is busy. Try again in a moment.',
    cause:
      'The server receives more requests than it can handle in time. It rejected this one before any processing: nothing was changed.',
    fix: 'Send the same request again after the seconds of the Retry-After header. If it happens often, add processors or nodes.',
  },
  storeUnavailable: {
    error: 'temporarily_unavailable',
    status: 503,
    description: 'The service cannot reach its data at the moment. Try again shortly.',
    cause: 'The database does not answer, is full, or is read-only.',
    fix: 'Try again after the seconds of the Retry-After header. Operators find the reason in the log under the request id.',
  },
  serverError: {
    error: 'server_error',
    status: 500,
    description: 'Something went wrong on the server.',
    cause: 'A fault in the server. It is logged under the request id of the answer.',
    fix: 'Report it with the request id (X-Request-Id).',
  },
} as const satisfies Record<string, FailureDefinition>;
