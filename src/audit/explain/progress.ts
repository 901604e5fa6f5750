import type { Phase } from './explanation.ts';
import type { Snapshot } from './snapshot.ts';

/** A phase of an endpoint, and the rows of the catalogue that end a request in it; `name:parameter` for one parameter. */
type PhaseRow = readonly [phase: string, ...ends: string[]];

const ARRIVAL: readonly PhaseRow[] = [
  ['request admitted', 'serverBusy'],
  ['address found', 'notFound'],
  ['method allowed', 'methodNotAllowed'],
  ['body received', 'bodyTooLarge', 'bodyNotUtf8', 'tooManyParameters'],
];
const APPLICATION: PhaseRow = ['application found', 'applicationUnknown'];
const AUTHENTICATION: PhaseRow = [
  'client authenticated',
  'clientNotAuthenticated',
  'clientAuthenticationFailed',
  'severalClientAuthentications',
  'tooManyClientAttempts',
  'tooManyClientDocuments',
];
const PROOF: PhaseRow = [
  'DPoP proof checked',
  ...['tooManyProofs', 'proofInvalid', 'proofMissing', 'nonceNeeded', 'proofInvalidWithToken', 'nonceNeededWithToken'],
];
const CERTIFICATE: PhaseRow = ['client certificate checked', 'certificateUnusable'];
const ENCRYPTION_KEY: PhaseRow = ['key for encrypted answers found', 'encryptionKeyMissing'];
const AGENT_OWNER: PhaseRow = ['owner of the agent', 'agentStopped', 'agentWithoutOwner'];
/** Shown where they ended the request: most have no proof, no certificate and no encryption, and most clients are no agents. */
const RARE: readonly PhaseRow[] = [PROOF, CERTIFICATE, ENCRYPTION_KEY, AGENT_OWNER];
const FORM_READ: PhaseRow = ['parameters read', 'contentTypeInvalid', 'parameterDuplicated', 'parameterInvalid'];

const REDIRECT_URI: PhaseRow = ['redirect URI compared', 'redirectUriMissing', 'redirectUriUntrusted'];
/** Of an authorization request, at /auth and /par alike. */
const REQUEST_CHECKED: readonly PhaseRow[] = [
  [
    'response type allowed',
    'responseTypeMissing',
    'responseTypeUnsupported',
    'responseModeInvalid',
    'responseTypeNotAllowed',
  ],
  ['scope allowed', 'scopeInvalid', 'targetInvalid', 'authorizationDetailsInvalid'],
  ['PKCE checked', 'codeChallengeInvalid', 'codeChallengeMethodInvalid'],
];

/** By route, in the order in which each endpoint checks. */
const ROUTES: Readonly<Record<string, readonly PhaseRow[]>> = {
  auth: [
    ...ARRIVAL,
    APPLICATION,
    ['request read', 'contentTypeInvalid', 'requestTooLarge', 'pendingRequestExpired'],
    ['client recognised', 'clientIdMissing', 'clientUnknown', 'clientDocumentInvalid', 'tooManyClientDocuments'],
    REDIRECT_URI,
    [
      'parameters read once',
      'parameterDuplicated',
      'requestNotSupported',
      'requestObjectInvalid',
      'requestObjectRequired',
      'requestUriNotSupported',
      'requestUriInvalid',
      'requestUriUnknown',
      'requestUriUnreadable',
      'pushedRequestRequired',
    ],
    ...REQUEST_CHECKED,
    [
      'other parameters checked',
      'parameterMissing',
      'parameterInvalid',
      'authenticationRequirementsUnmet',
      'twoUsersNamed',
    ],
    ['user signed in', 'loginRequired', 'otherUserSignedIn', 'userCancelled'],
    ['user admitted', 'userNotAllowed'],
    ['consent given', 'consentRequired'],
    ['answer to the client', 'encryptionKeyMissing'],
  ],
  par: [
    ...ARRIVAL,
    APPLICATION,
    FORM_READ,
    AUTHENTICATION,
    PROOF,
    ['signed request opened', 'requestObjectInvalid', 'requestObjectRequired'],
    ['request small enough', 'requestTooLarge'],
    REDIRECT_URI,
    ...REQUEST_CHECKED,
    ['other parameters checked', 'parameterMissing', 'authenticationRequirementsUnmet', 'twoUsersNamed'],
    ['number of requests allowed', 'tooManyPushedRequests'],
    ['answer to the client'],
  ],
  device_authorization: [
    ...ARRIVAL,
    APPLICATION,
    FORM_READ,
    AUTHENTICATION,
    ['grant type allowed', 'grantTypeNotAllowed'],
    ['scope allowed', 'scopeInvalid', 'targetInvalid', 'authorizationDetailsInvalid'],
    ['number of requests allowed', 'tooManyDeviceRequests'],
    ['answer to the client'],
  ],
  'bc-authorize': [
    ...ARRIVAL,
    APPLICATION,
    FORM_READ,
    AUTHENTICATION,
    ['grant type allowed', 'grantTypeNotAllowed'],
    AGENT_OWNER,
    ['signed request opened', 'backchannelRequestInvalid', 'backchannelRequestUnsigned'],
    [
      'parameters complete',
      'parameterMissing',
      'scopeInvalid',
      'targetInvalid',
      'authorizationDetailsInvalid',
      'backchannelHintNeeded',
      'bindingMessageInvalid',
      ...['request', 'requested_expiry', 'client_notification_token'].map(name => `parameterInvalid:${name}`),
    ],
    [
      'person found',
      'tooManyLoginHints',
      'unknownUserId',
      'loginHintTokenExpired',
      ...['id_token_hint', 'login_hint_token'].map(name => `parameterInvalid:${name}`),
    ],
    ['approval code checked', 'approvalCodeMissing', 'approvalCodeWrong', 'tooManyApprovalCodes'],
    ['number of requests allowed', 'tooManyApprovalRequests'],
    ['answer to the client'],
  ],
  register: [
    ...ARRIVAL,
    APPLICATION,
    ['registration turned on', 'notFound'],
    ['body read', 'mediaTypeUnsupported', 'jsonInvalid'],
    ['token checked', 'registrationTokenInvalid'],
    ['number of registrations allowed', 'tooManyRegistrations'],
    [
      'metadata checked',
      'softwareStatementInvalid',
      'softwareStatementUnapproved',
      'statementKeysUnreachable',
      'redirectUriRejected',
      'clientMetadataInvalid',
    ],
    ['client stored', 'tooManyClients'],
    ['answer to the client'],
  ],
  token: [
    ...ARRIVAL,
    APPLICATION,
    FORM_READ,
    AUTHENTICATION,
    PROOF,
    CERTIFICATE,
    ENCRYPTION_KEY,
    ['grant type allowed', 'parameterMissing:grant_type', 'grantTypeUnsupported', 'grantTypeNotAllowed'],
    [
      'parameters of the grant complete',
      'parameterMissing',
      ...['subject_token_type', 'actor_token_type', 'requested_token_type'].map(name => `parameterInvalid:${name}`),
    ],
    AGENT_OWNER,
    ['scope allowed', 'scopeInvalid', 'targetInvalid', 'authorizationDetailsInvalid'],
    [
      'grant checked',
      ...[
        'codeUnknown',
        'codeInvalid',
        'codeExpired',
        'codeReplayed',
        'redirectUriDiffers',
        'verifierWrong',
        'verifierUnexpected',
      ],
      ...['codeKeyDiffers', 'refreshKeyDiffers'],
      ...['refreshTokenInvalid', 'refreshTokenExpired', 'refreshTokenReused'],
      ...['credentialsWrong', 'secondFactorNeeded', 'passwordChangeNeeded', 'emailUnverified'],
      ...['passwordUserNotAllowed', 'refreshUserNotAllowed', 'deviceUserNotAllowed'],
      ...['providerUnavailable', 'refreshPersonGone'],
      ...['deviceCodeInvalid', 'deviceCodeRedeemed', 'deviceCodeExpired', 'deviceDenied'],
      ...['authReqIdInvalid', 'authReqIdRedeemed', 'authReqIdExpired', 'approvalDenied', 'approvalUserNotAllowed'],
      ...['authorizationPending', 'slowDown'],
      ...['tooManyAttempts', 'hashQueueFull'],
      ...['subjectTokenInvalid', 'subjectNotAllowed', 'subjectTokenBound', 'subjectTokenTooDeep', 'actorTokenInvalid'],
      ...['exchangeNotAllowed', 'exchangeScopeInvalid', 'identitySubjectInvalid', 'identityAssertionNotAllowed'],
      ...['identityAssertionScopeInvalid', 'identityAssertionInvalid', 'identityAssertionRefused'],
    ],
    ['tokens issued'],
  ],
  introspect: [
    ...ARRIVAL,
    APPLICATION,
    ['parameters read', 'contentTypeInvalid', 'introspectionParameterRepeated'],
    [...AUTHENTICATION, 'nonceNeededWithToken'],
    ['token received', 'introspectionTokenMissing'],
    ['token looked up', 'encryptionKeyMissing'],
  ],
  revoke: [
    ...ARRIVAL,
    APPLICATION,
    FORM_READ,
    AUTHENTICATION,
    ['token received', 'parameterMissing'],
    ['token revoked'],
  ],
  userinfo: [
    ...ARRIVAL,
    APPLICATION,
    ['access token received', 'bearerMissing', 'bearerTwice', 'parameterDuplicated', 'parameterInvalid'],
    ['access token checked', 'tokenInvalid'],
    PROOF,
    ['scope checked', 'scopeInsufficient'],
    ['login checked', 'authenticationInsufficient'],
    ['claims returned', 'encryptionKeyMissing'],
  ],
  logout: [
    ...ARRIVAL,
    APPLICATION,
    FORM_READ,
    ['client recognised', 'logoutClientMismatch'],
    ['return address compared', 'postLogoutRedirectUriUntrusted'],
    ['session ended'],
  ],
};

/** Login, consent, account and logout pages. */
const PAGE: readonly PhaseRow[] = [
  ...ARRIVAL,
  ['form of an own page', 'contentTypeInvalid', 'formFromElsewhere'],
  [
    'sign-in opened',
    'pendingRequestExpired',
    'ownerLinkInvalid',
    'resetLinkInvalid',
    'mailLinkInvalid',
    'signUpNotAllowed',
    'emailNotVerifiable',
    'applicationUnknown',
    'clientUnknown',
    'clientDocumentInvalid',
    'tooManyClientDocuments',
  ],
  ['form complete', 'parameterMissing', 'parameterInvalid', 'signInNeeded'],
  ['code of the device known', 'userCodeInvalid', 'tooManyUserCodes'],
  ['request to this person known', 'approvalUnknown'],
  ['password checked', 'credentialsWrong', 'tooManyAttempts', 'tooManyMailRequests', 'hashQueueFull'],
  ['code checked', 'codeWrong', 'codesExhausted', 'passkeyRefused', 'passkeysOff'],
  ['directory asked', 'providerUnavailable', 'providerRefused', 'providerAnswerInvalid'],
  ['account found', 'providerPersonRefused'],
  ['session opened', 'formReplayed'],
  ['client stored', 'tooManyClients'],
  ['back to the application'],
];

/** What the admin API and the console do alike. */
const OPERATION: readonly PhaseRow[] = [
  ['role sufficient', 'operatorNeeded', 'operatorFactorMissing', 'operatorScopeMissing', 'roleTooLow'],
  ['values valid', 'valuesInvalid'],
  ['object found', 'objectUnknown'],
  ['change applied', 'objectChanged', 'objectConflict'],
];

const ADMIN: readonly PhaseRow[] = [
  ...ARRIVAL,
  ['body read', 'mediaTypeUnsupported', 'jsonInvalid'],
  ['caller authenticated', 'operatorUnknown', 'operatorKeyInvalid', 'tooManyOperatorAttempts', 'nonceNeededWithToken'],
  ['request is new', 'idempotencyKeyReused'],
  ...OPERATION,
];

const CONSOLE: readonly PhaseRow[] = [
  ...ARRIVAL,
  ['form of an own page', 'contentTypeInvalid', 'formFromElsewhere'],
  ['operator signed in', 'pendingRequestExpired'],
  ...OPERATION,
];

/** The way to an identity provider and back. */
const PROVIDER: readonly PhaseRow[] = [
  ...ARRIVAL,
  ['request read', 'contentTypeInvalid', 'requestTooLarge', 'formFromElsewhere'],
  ['sign-in found', 'pendingRequestExpired', 'providerAnswerUnexpected'],
  ['provider asked', 'providerUnavailable'],
  ['person identified', 'providerRefused', 'providerAnswerInvalid', 'providerSignOutRefused', 'userCancelled'],
  ['account found', 'providerPersonRefused'],
];

/** Of addresses without phases of their own, such as the metrics. */
const OTHER: readonly PhaseRow[] = [...ARRIVAL, APPLICATION, ['request allowed'], ['answered']];

function phasesOf(route: string | undefined): readonly PhaseRow[] {
  if (route === undefined) return ARRIVAL.slice(0, 2);
  if (Object.hasOwn(ROUTES, route)) return ROUTES[route] ?? OTHER;
  if (route.startsWith('/api/v1/admin')) return ADMIN;
  if (route.startsWith('/console')) return CONSOLE;
  if (route.startsWith('/login/provider/')) return PROVIDER;
  return PAGES.includes(route) ? PAGE : OTHER;
}

const PAGES: readonly string[] = [
  ...['/login', '/login/totp', '/login/recovery', '/login/verify-email', '/login/new-password', '/consent', '/logout'],
  ...['/login/no-access', '/login/link', '/device', '/account/approvals'],
  ...['/first-owner', '/signup', '/confirm-email', '/undo-email', '/account/email'],
  ...['/account', '/account/security', '/account/security/totp', '/forgot-password', '/reset-password'],
];

/** How far the request came. Faults can happen anywhere: then only the last phase is known not to have been reached. */
export function progressOf({ route, reason, parameter }: Snapshot): readonly Phase[] {
  const phases = phasesOf(route).filter(row => !RARE.includes(row) || row.includes(reason));
  const failed = failedPhase(phases, reason, parameter);
  if (failed >= 0) {
    return phases.map(([phase], at) => ({
      phase,
      state: at < failed ? 'passed' : at === failed ? 'failed' : 'not reached',
    }));
  }
  const arrived = phases.slice(0, ARRIVAL.length).map(([phase]): Phase => ({ phase, state: 'passed' }));
  return [...arrived, { phase: FAULTS[reason] ?? 'request handled', state: 'failed' }];
}

function failedPhase(phases: readonly PhaseRow[], reason: string, parameter: string | undefined): number {
  const exact = phases.findIndex(([, ...ends]) => ends.includes(`${reason}:${parameter}`));
  return exact >= 0 ? exact : phases.findIndex(([, ...ends]) => ends.includes(reason));
}

const FAULTS: Partial<Record<string, string>> = {
  storeUnavailable: 'database answered',
  serverError: 'handled without a fault',
};
