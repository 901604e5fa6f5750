import * as oauth from 'oauth4webapi';
import type { ProviderFault } from '../federation/connector.ts';
import { ProviderUnreachable } from './fetch.ts';

/** What a fault of the library says about the provider. Its messages name claims and rules, and hold nothing of what was received. */
export function faultOf(error: unknown): ProviderFault {
  if (error instanceof ProviderUnreachable) {
    return { kind: 'unavailable', reason: error.message, ...(error.isByBrowser && { isByBrowser: true }) };
  }
  if (error instanceof oauth.AuthorizationResponseError) return ofAnswer(codeOf(error.error));
  if (error instanceof oauth.ResponseBodyError) return { kind: 'refused', reason: codeOf(error.error) };
  if (error instanceof oauth.WWWAuthenticateChallengeError) return { kind: 'refused', reason: refusedBy(error) };
  if (error instanceof oauth.OperationProcessingError || error instanceof oauth.UnsupportedOperationError) {
    return { kind: 'invalid', reason: error.message };
  }
  throw error;
}

/** RFC 6749 section 4.1.2.1: what the provider says in the answer itself. */
function ofAnswer(code: string): ProviderFault {
  if (code === 'access_denied') return { kind: 'cancelled', reason: code, isByBrowser: true };
  const isDown = code === 'server_error' || code === 'temporarily_unavailable';
  return { kind: isDown ? 'unavailable' : 'refused', reason: code, isByBrowser: true };
}

/** RFC 6749 section 5.2: a token endpoint may name the schemes of client authentication. RFC 6750 section 3: userinfo names that of tokens. */
function refusedBy({ cause }: oauth.WWWAuthenticateChallengeError): string {
  const isOfToken = cause.some(({ scheme }) => scheme === 'bearer' || scheme === 'dpop');
  return isOfToken ? 'userinfo refused the token' : 'invalid_client';
}

/** A provider could write anything there; a code of a specification is short. */
function codeOf(error: string): string {
  return /^[\w.-]{1,64}$/.test(error) ? error : 'an error without a code';
}
