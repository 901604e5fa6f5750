import type { FailureDefinition } from '../../platform/http/failure-definition.rules.ts';

/** Failures of clients that register themselves: at /register (RFC 7591, RFC 7592), or by a document that they publish. */
export const errorsForRegistration = {
  clientDocumentInvalid: {
    error: 'invalid_client',
    status: 400,
    description: 'The client_id is an address, and what it gives is no client of this application.',
    cause:
      'The document at the address cannot be fetched, is no client metadata, names another client_id, or its host is not among those that the application allows (client_id_metadata).',
    fix: 'Open the address: it must answer with status 200, without a redirect, with at most 5 KB of application/json whose client_id is exactly this address. The explanation of the refusal names the fault.',
  },
  tooManyClientDocuments: {
    error: 'temporarily_unavailable',
    status: 429,
    description: 'Too many different client addresses. Try again later.',
    cause:
      'Many requests from this network address named clients by addresses (client ID metadata documents) that had to be fetched.',
    fix: 'Use one client_id for all installations of a program. Wait as many seconds as the Retry-After header says.',
  },
  registrationTokenInvalid: {
    error: 'invalid_token',
    status: 401,
    description: 'The token does not allow this registration.',
    cause:
      'The application takes registrations with an initial access token only (dynamic_registration: token), and the request has none that is valid. Or a registered client is read or changed with another token than its registration access token.',
    fix: 'Send "Authorization: Bearer" with an initial access token that an operator has made, or with the registration_access_token of this client.',
  },
  redirectUriRejected: {
    error: 'invalid_redirect_uri',
    status: 400,
    description: 'The redirect_uris cannot be registered.',
    cause:
      'An address is no absolute URI, has a fragment or a wildcard, uses plain http beyond loopback, or a scheme that runs scripts.',
    fix: 'Register https addresses, http with 127.0.0.1, [::1] or localhost, or the private scheme of a native application.',
  },
  clientMetadataInvalid: {
    error: 'invalid_client_metadata',
    status: 400,
    description: 'The client metadata cannot be registered: {parameter}',
    cause: 'A field has a value that is not allowed, or two fields contradict each other.',
    fix: 'The description names the field. docs/self-registration.md lists the fields that clients may set.',
  },
  softwareStatementInvalid: {
    error: 'invalid_software_statement',
    status: 400,
    description: 'The software_statement is not accepted: {parameter}',
    cause:
      'The field software_statement is no signed JWT about a client, has expired, is for another server, or no key of its issuer has signed it.',
    fix: 'Send the statement of the issuer unchanged, or a newer one. The description names the fault.',
  },
  softwareStatementUnapproved: {
    error: 'unapproved_software_statement',
    status: 400,
    description: 'The software_statement is of an issuer that this application does not trust.',
    cause: 'The iss of the statement is not among the issuers that the application trusts (software_statements).',
    fix: 'Register without software_statement, or ask the operator to trust its issuer.',
  },
  statementKeysUnreachable: {
    error: 'temporarily_unavailable',
    status: 503,
    description: 'The software_statement cannot be verified now: the keys of its issuer cannot be fetched.',
    cause: 'The address of the keys (jwks_uri in software_statements) did not answer with a JWK Set.',
    fix: 'Wait as many seconds as the Retry-After header says. If it lasts, an operator has to open the address from the network of this server.',
  },
  tooManyRegistrations: {
    error: 'temporarily_unavailable',
    status: 429,
    description: 'Too many registrations from this network address. Try again later.',
    cause: 'Each network address can register 20 clients at once, and one more every minute.',
    fix: 'Register once for each installation and keep the client_id. Wait as many seconds as the Retry-After header says.',
  },
  tooManyClients: {
    error: 'temporarily_unavailable',
    status: 503,
    description: 'This application takes no further clients at the moment.',
    cause: 'The application has as many self-registered clients as it may have (10,000).',
    fix: 'Clients that nobody uses are deleted after 90 days. An operator can delete others, or turn dynamic_registration and client_id_metadata off.',
  },
} as const satisfies Record<string, FailureDefinition>;
