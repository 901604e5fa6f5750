import type { FailureDefinition } from '../../platform/http/failure-definition.rules.ts';

/** Failures of the admin API (/api/v1/admin), told as problem details. */
export const errorsForOperators = {
  operatorUnknown: {
    error: 'access_denied',
    status: 401,
    description: 'This address needs an API key, or an access token of an operator.',
    cause: 'The request has no Authorization header, or one of another scheme than Bearer and DPoP.',
    fix: 'Send "Authorization: Bearer gak_…". "gatehouse api-keys create --name NAME --role ROLE" makes a key.',
  },
  operatorKeyInvalid: {
    error: 'invalid_token',
    status: 401,
    description: 'The API key or access token is unknown, has expired, or gives no access here.',
    cause:
      'The key was deleted, has expired or was never issued; or the access token belongs to another application than gatehouse, or to a user without a role.',
    fix: 'Make a new key with "gatehouse api-keys create", or give the user a role with "gatehouse operators add".',
  },
  operatorNeeded: {
    error: 'forbidden',
    status: 403,
    description: 'This page is for operators.',
    cause: 'The user who is signed in has no role in this deployment.',
    fix: 'Ask an owner for a role ("gatehouse operators add NAME --role ROLE"), or sign in as another user.',
  },
  ownerLinkInvalid: {
    error: 'forbidden',
    status: 403,
    description: 'This link works for one hour, until the deployment has an owner or a server starts again.',
    cause:
      'The deployment has an owner already, the server printed the link more than one hour ago, a server has started since and printed another, or the link is incomplete.',
    fix: 'Without an owner: start the server again, which prints a new link, or run "gatehouse operators add NAME --role owner". With one: ask an owner for a role.',
  },
  roleTooLow: {
    error: 'forbidden',
    status: 403,
    description: 'This needs the role {parameter}.',
    cause: 'The API key or the operator has a role that may read this, or less, and not change it.',
    fix: 'Use a key with the role that the answer names. Roles are auditor, operator and owner.',
  },
  operatorScopeMissing: {
    error: 'insufficient_scope',
    status: 403,
    description: 'This needs an access token with the scope {parameter}.',
    cause: 'The access token is that of an operator, and its scope does not cover the request.',
    fix: 'Request admin:read to read and admin:write to change, with a client of the application gatehouse that is registered for it.',
  },
  operatorFactorMissing: {
    error: 'insufficient_user_authentication',
    status: 401,
    description: 'Operators need a second factor, and the login of this access token had one factor.',
    cause: 'GATEHOUSE_OPERATOR_MFA is required, and the operator signed in without a second factor.',
    fix: 'Send the operator through an authorization request with acr_values=2, and use the new token; or use an API key.',
  },
  objectUnknown: {
    error: 'not_found',
    status: 404,
    description: 'There is no such {parameter}.',
    cause: 'It does not exist, was deleted, or belongs to an application that this key has no access to.',
    fix: 'Check the id in the address. A key that is limited to applications sees only those.',
  },
  objectConflict: {
    error: 'conflict',
    status: 409,
    description: '{parameter}',
    cause: 'The change contradicts what is stored: a name is taken, or it would remove the last owner.',
    fix: 'Read the object and decide again.',
  },
  idempotencyKeyReused: {
    error: 'conflict',
    status: 409,
    description: 'This Idempotency-Key was used for another request.',
    cause: 'The same key came with another address or body within 24 hours.',
    fix: 'Use a new key for each request, and the same only to repeat it.',
  },
  objectChanged: {
    error: 'precondition_failed',
    status: 412,
    description: 'The object has changed since it was read.',
    cause: 'If-Match names another ETag than the object has now.',
    fix: 'Read the object again, apply the change to it, and send the new ETag.',
  },
  valuesInvalid: {
    error: 'invalid_request',
    status: 400,
    description: 'The request has values that are not allowed.',
    cause: 'A field is missing, unknown or has a value that is not allowed.',
    fix: 'The field errors of the answer lists every fault with its place. /api/v1/admin/openapi.json describes all fields.',
  },
  tooManyOperatorAttempts: {
    error: 'temporarily_unavailable',
    status: 429,
    description: 'Too many requests with wrong keys. Try again later.',
    cause: 'Too many requests with unknown API keys came from this network address.',
    fix: 'Wait as many seconds as the Retry-After header says, and check the key.',
  },
} as const satisfies Record<string, FailureDefinition>;
