import type { FailureName } from '../../failures.ts';
import * as access from './access.ts';
import * as accessToken from './access-token.ts';
import * as accounts from './accounts.ts';
import * as authorization from './authorization.ts';
import { ruleOf } from './broken-rules.ts';
import * as clientAuthentication from './client-authentication.ts';
import * as code from './code.ts';
import * as device from './device.ts';
import * as dpop from './dpop.ts';
import type { Context, Explanation, Topic } from './explanation.ts';
import * as limits from './limits.ts';
import * as operators from './operators.ts';
import * as parameters from './parameters.ts';
import { progressOf } from './progress.ts';
import * as redirectUri from './redirect-uri.ts';
import * as refresh from './refresh.ts';
import { targetInvalid } from './resource.ts';
import { scopeInvalid } from './scope.ts';
import * as selfRegistration from './self-registration.ts';
import * as session from './session.ts';
import * as softwareStatement from './software-statement.ts';
import * as tokenExchange from './token-exchange.ts';
import * as transport from './transport.ts';

/**
 * Why was this request refused? From its snapshot (snapshot.ts, taken by audit/refusals/capture.ts) to the rule, what was
 * expected, what was received, the difference, the fix, and how far the request came. Pure. A file for each topic, a function for
 * each row of the catalogue; broken-rules.ts has the rules, progress.ts the phases of each endpoint.
 */
export function explain(context: Context): Explanation {
  const { snapshot } = context;
  const finding = TOPICS[snapshot.reason](context);
  return {
    rule: ruleOf(snapshot.reason),
    expected: finding.expected,
    received: finding.received,
    difference: finding.difference,
    fix: finding.fix,
    call: finding.call,
    progress: progressOf(snapshot),
  };
}

/** The type makes a row of the catalogue without an explanation a compile error. */
const TOPICS: Readonly<Record<FailureName, Topic>> = {
  notFound: transport.notFound,
  applicationUnknown: transport.applicationUnknown,
  methodNotAllowed: transport.methodNotAllowed,
  contentTypeInvalid: transport.contentTypeInvalid,
  mediaTypeUnsupported: transport.mediaTypeUnsupported,
  jsonInvalid: transport.jsonInvalid,
  bodyNotUtf8: transport.bodyNotUtf8,
  bodyTooLarge: transport.bodyTooLarge,
  tooManyParameters: transport.tooManyParameters,
  requestTooLarge: transport.requestTooLarge,
  parameterMissing: parameters.parameterMissing,
  parameterInvalid: parameters.parameterInvalid,
  parameterDuplicated: parameters.parameterDuplicated,
  introspectionTokenMissing: parameters.introspectionTokenMissing,
  introspectionParameterRepeated: parameters.introspectionParameterRepeated,
  clientNotAuthenticated: clientAuthentication.clientNotAuthenticated,
  clientAuthenticationFailed: clientAuthentication.clientAuthenticationFailed,
  severalClientAuthentications: clientAuthentication.severalClientAuthentications,
  tooManyPushedRequests: authorization.tooManyPushedRequests,
  clientDocumentInvalid: selfRegistration.clientDocumentInvalid,
  tooManyClientDocuments: selfRegistration.tooManyClientDocuments,
  registrationTokenInvalid: selfRegistration.registrationTokenInvalid,
  redirectUriRejected: selfRegistration.redirectUriRejected,
  clientMetadataInvalid: selfRegistration.clientMetadataInvalid,
  softwareStatementInvalid: softwareStatement.softwareStatementInvalid,
  softwareStatementUnapproved: softwareStatement.softwareStatementUnapproved,
  statementKeysUnreachable: softwareStatement.statementKeysUnreachable,
  tooManyRegistrations: selfRegistration.tooManyRegistrations,
  tooManyClients: selfRegistration.tooManyClients,
  tooManyClientAttempts: clientAuthentication.tooManyClientAttempts,
  clientIdMissing: redirectUri.clientIdMissing,
  clientUnknown: redirectUri.clientUnknown,
  redirectUriMissing: redirectUri.redirectUriMissing,
  redirectUriUntrusted: redirectUri.redirectUriUntrusted,
  redirectUriDiffers: redirectUri.redirectUriDiffers,
  postLogoutRedirectUriUntrusted: redirectUri.postLogoutRedirectUriUntrusted,
  responseTypeMissing: authorization.responseTypeMissing,
  responseTypeUnsupported: authorization.responseTypeUnsupported,
  responseTypeNotAllowed: authorization.responseTypeNotAllowed,
  responseModeInvalid: authorization.responseModeInvalid,
  codeChallengeInvalid: authorization.codeChallengeInvalid,
  codeChallengeMethodInvalid: authorization.codeChallengeMethodInvalid,
  requestNotSupported: authorization.requestNotSupported,
  requestUriInvalid: authorization.requestUriInvalid,
  pushedRequestRequired: authorization.pushedRequestRequired,
  requestUriNotSupported: authorization.requestUriNotSupported,
  authenticationRequirementsUnmet: authorization.authenticationRequirementsUnmet,
  grantTypeUnsupported: authorization.grantTypeUnsupported,
  grantTypeNotAllowed: authorization.grantTypeNotAllowed,
  scopeInvalid,
  targetInvalid,
  codeUnknown: code.codeUnknown,
  codeInvalid: code.codeInvalid,
  codeExpired: code.codeExpired,
  codeReplayed: code.codeReplayed,
  verifierWrong: code.verifierWrong,
  verifierUnexpected: code.verifierUnexpected,
  refreshTokenInvalid: refresh.refreshTokenInvalid,
  refreshTokenExpired: refresh.refreshTokenExpired,
  refreshTokenReused: refresh.refreshTokenReused,
  subjectTokenInvalid: tokenExchange.subjectTokenInvalid,
  subjectTokenBound: tokenExchange.subjectTokenBound,
  subjectTokenTooDeep: tokenExchange.subjectTokenTooDeep,
  actorTokenInvalid: tokenExchange.actorTokenInvalid,
  exchangeNotAllowed: tokenExchange.exchangeNotAllowed,
  exchangeScopeInvalid: tokenExchange.exchangeScopeInvalid,
  codeKeyDiffers: dpop.codeKeyDiffers,
  refreshKeyDiffers: dpop.refreshKeyDiffers,
  proofInvalid: dpop.proofInvalid,
  tooManyProofs: dpop.tooManyProofs,
  nonceNeeded: dpop.proofInvalid,
  proofInvalidWithToken: dpop.proofInvalid,
  nonceNeededWithToken: dpop.proofInvalid,
  bearerMissing: accessToken.bearerMissing,
  bearerTwice: accessToken.bearerTwice,
  tokenInvalid: accessToken.tokenInvalid,
  scopeInsufficient: accessToken.scopeInsufficient,
  authenticationInsufficient: accessToken.authenticationInsufficient,
  loginRequired: session.loginRequired,
  consentRequired: session.consentRequired,
  userCancelled: session.userCancelled,
  userNotAllowed: access.userNotAllowed,
  passwordUserNotAllowed: access.passwordUserNotAllowed,
  refreshUserNotAllowed: access.refreshUserNotAllowed,
  subjectNotAllowed: access.subjectNotAllowed,
  authorizationPending: device.authorizationPending,
  slowDown: device.slowDown,
  deviceCodeExpired: device.deviceCodeExpired,
  deviceDenied: device.deviceDenied,
  deviceUserNotAllowed: access.deviceUserNotAllowed,
  deviceCodeInvalid: device.deviceCodeInvalid,
  deviceCodeRedeemed: device.deviceCodeRedeemed,
  tooManyDeviceRequests: device.tooManyDeviceRequests,
  userCodeInvalid: device.userCodeInvalid,
  tooManyUserCodes: device.tooManyUserCodes,
  pendingRequestExpired: session.pendingRequestExpired,
  formReplayed: session.formReplayed,
  codeWrong: limits.codeWrong,
  codesExhausted: limits.codesExhausted,
  passkeyRefused: limits.passkeyRefused,
  passkeysOff: limits.passkeysOff,
  formFromElsewhere: session.formFromElsewhere,
  signInNeeded: session.signInNeeded,
  logoutClientMismatch: session.logoutClientMismatch,
  resetLinkInvalid: session.resetLinkInvalid,
  signUpNotAllowed: accounts.signUpNotAllowed,
  mailLinkInvalid: accounts.mailLinkInvalid,
  emailNotVerifiable: accounts.emailNotVerifiable,
  passwordChangeNeeded: accounts.passwordChangeNeeded,
  emailUnverified: accounts.emailUnverified,
  tooManyMailRequests: limits.tooManyMailRequests,
  credentialsWrong: limits.credentialsWrong,
  secondFactorNeeded: limits.secondFactorNeeded,
  tooManyAttempts: limits.tooManyAttempts,
  hashQueueFull: limits.hashQueueFull,
  serverBusy: limits.serverBusy,
  storeUnavailable: limits.storeUnavailable,
  serverError: limits.serverError,
  operatorUnknown: operators.operatorUnknown,
  operatorKeyInvalid: operators.operatorKeyInvalid,
  operatorScopeMissing: operators.operatorScopeMissing,
  operatorFactorMissing: operators.operatorFactorMissing,
  operatorNeeded: operators.operatorNeeded,
  ownerLinkInvalid: operators.ownerLinkInvalid,
  roleTooLow: operators.roleTooLow,
  objectUnknown: operators.objectUnknown,
  objectConflict: operators.objectConflict,
  idempotencyKeyReused: operators.idempotencyKeyReused,
  objectChanged: operators.objectChanged,
  valuesInvalid: operators.valuesInvalid,
  tooManyOperatorAttempts: operators.tooManyOperatorAttempts,
};
