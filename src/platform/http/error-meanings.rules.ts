import type { ErrorCode, Failures } from '../../failures.ts';

/**
 * The meaning of each error code, for the pages under /docs/errors. The type requires an entry for every code of the
 * catalogue.
 */
export const meanings: Record<ErrorCode, { readonly meaning: string; readonly specification: string }> = {
  access_denied: {
    meaning: 'Access was refused: the request has no credentials, or the user cancelled or refused consent.',
    specification: 'RFC 6749 section 4.1.2.1',
  },
  invalid_client: {
    meaning: 'The client is unknown, or its authentication failed.',
    specification: 'RFC 6749 section 5.2',
  },
  invalid_request: {
    meaning: 'The request is incomplete, contradictory or malformed.',
    specification: 'RFC 6749 sections 4.1.2.1 and 5.2',
  },
  invalid_grant: {
    meaning: 'The code, refresh token or password is wrong or no longer valid.',
    specification: 'RFC 6749 section 5.2, RFC 7636 section 4.6',
  },
  authorization_pending: {
    meaning: 'The user has not decided yet about the device or backchannel request: poll again.',
    specification: 'RFC 8628 section 3.5',
  },
  slow_down: {
    meaning: 'The client polls too often: wait 5 seconds longer between two polls.',
    specification: 'RFC 8628 section 3.5',
  },
  expired_token: {
    meaning: 'The device code or auth_req_id has expired: send a new request.',
    specification: 'RFC 8628 section 3.5, OpenID Connect CIBA section 11',
  },
  unknown_user_id: {
    meaning: 'The hint of a backchannel request names nobody who can be asked.',
    specification: 'OpenID Connect CIBA section 13',
  },
  missing_user_code: {
    meaning: 'The person has set an approval code, and the backchannel request has none.',
    specification: 'OpenID Connect CIBA section 13',
  },
  invalid_user_code: {
    meaning: 'The user_code of a backchannel request is not the approval code of the person.',
    specification: 'OpenID Connect CIBA section 13',
  },
  expired_login_hint_token: {
    meaning: 'The login_hint_token of a backchannel request has expired.',
    specification: 'OpenID Connect CIBA section 13',
  },
  invalid_binding_message: {
    meaning: 'The binding_message of a backchannel request cannot be shown.',
    specification: 'OpenID Connect CIBA section 13',
  },
  invalid_scope: {
    meaning: 'The scope is unknown or wider than allowed.',
    specification: 'RFC 6749 section 3.3',
  },
  invalid_request_object: {
    meaning: 'The signed request (parameter request) is not valid.',
    specification: 'RFC 9101 section 6',
  },
  invalid_request_uri: {
    meaning: 'The request_uri is unknown, used or too old.',
    specification: 'RFC 9126 section 2.2, RFC 9101 section 7',
  },
  invalid_target: {
    meaning: 'The resource is unknown, or not open to this client.',
    specification: 'RFC 8707 section 2, RFC 8693 section 2.2.2',
  },
  invalid_dpop_proof: {
    meaning: 'The proof that the client possesses its key (DPoP) is missing or not right.',
    specification: 'RFC 9449 sections 5 and 7.1',
  },
  use_dpop_nonce: {
    meaning: 'The proof that the client possesses its key (DPoP) must have a nonce of this server.',
    specification: 'RFC 9449 sections 8 and 9',
  },
  invalid_redirect_uri: {
    meaning: 'A redirect address of the registration is not allowed.',
    specification: 'RFC 7591 section 3.2.2',
  },
  invalid_authorization_details: {
    meaning: 'The authorization details do not fit their type, or are more than was granted.',
    specification: 'RFC 9396 section 5',
  },
  invalid_client_metadata: {
    meaning: 'A field of the registration is not allowed.',
    specification: 'RFC 7591 section 3.2.2',
  },
  invalid_software_statement: {
    meaning: 'The software statement of the registration is malformed, has expired, or is not signed by its issuer.',
    specification: 'RFC 7591 section 3.2.2',
  },
  unapproved_software_statement: {
    meaning: 'The software statement of the registration is of an issuer that the application does not trust.',
    specification: 'RFC 7591 section 3.2.2',
  },
  invalid_token: {
    meaning: 'The access token is invalid, expired or revoked.',
    specification: 'RFC 6750 section 3.1',
  },
  insufficient_user_authentication: {
    meaning: 'The access token is valid, but the login that it comes from is too weak or too old.',
    specification: 'RFC 9470 section 3',
  },
  insufficient_scope: {
    meaning: 'The access token is valid, but does not allow this.',
    specification: 'RFC 6750 section 3.1',
  },
  unauthorized_client: {
    meaning: 'The client is known, but not allowed to use this flow.',
    specification: 'RFC 6749 sections 4.1.2.1 and 5.2',
  },
  unsupported_grant_type: {
    meaning: 'The server does not know this grant type.',
    specification: 'RFC 6749 section 5.2',
  },
  unsupported_response_type: {
    meaning: 'The server does not know this response type, or the client is not registered for it.',
    specification: 'RFC 6749 section 4.1.2.1',
  },
  request_not_supported: {
    meaning: 'The client is not registered to send request objects.',
    specification: 'OpenID Connect Core section 3.1.2.6',
  },
  request_uri_not_supported: {
    meaning: 'The client is not registered to send request objects by reference.',
    specification: 'OpenID Connect Core section 3.1.2.6',
  },
  unmet_authentication_requirements: {
    meaning: 'The request requires a kind of login that this server does not support.',
    specification: 'OpenID Connect Core Error Code unmet_authentication_requirements',
  },
  login_required: {
    meaning:
      'The user must sign in, but prompt=none forbids showing a page. Or another user signed in than the request names.',
    specification: 'OpenID Connect Core section 3.1.2.6',
  },
  consent_required: {
    meaning: 'The user must give consent, but prompt=none forbids showing a page.',
    specification: 'OpenID Connect Core section 3.1.2.6',
  },
  temporarily_unavailable: {
    meaning: 'The server cannot serve this request now. The Retry-After header says when to try again.',
    specification: 'RFC 6749 section 4.1.2.1, RFC 9110 section 10.2.3',
  },
  not_found: { meaning: 'There is nothing at this address.', specification: 'RFC 9110 section 15.5.5' },
  forbidden: { meaning: 'The role of the caller does not allow this.', specification: 'RFC 9110 section 15.5.4' },
  conflict: { meaning: 'The request contradicts what is stored.', specification: 'RFC 9110 section 15.5.10' },
  precondition_failed: {
    meaning: 'The object has changed since it was read.',
    specification: 'RFC 9110 section 15.5.13',
  },
  server_error: {
    meaning: 'The server failed because of a fault of its own.',
    specification: 'RFC 6749 section 4.1.2.1',
  },
};

export interface Cause {
  readonly name: string;
  readonly status: number;
  readonly description: string;
  readonly cause: string;
  readonly fix: string;
}

export const errorCodes = Object.keys(meanings) as ErrorCode[];

export function causesOf(error: ErrorCode, failures: Failures): Cause[] {
  return [...failures]
    .filter(([, definition]) => definition.error === error)
    .map(([name, definition]) => ({
      name,
      ...definition,
      description: definition.description.replace('{parameter}', '<name>'),
    }));
}
