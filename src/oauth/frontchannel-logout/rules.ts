import type { Client } from '../../directory/clients/rules.ts';
import { responseLocation } from '../authorize/response-mode.rules.ts';

/** A client that is told in a frame that its session has ended. */
export interface ToldClient {
  readonly app: string;
  readonly clientId: string;
}

/** Frames of one page. A session with more clients leaves the others out: back-channel logout has no such end. */
export const MAX_FRAMES = 20;

/** Front-Channel Logout section 2: with `iss` and `sid`, or with neither. */
export function frameAddress(
  client: Pick<Client, 'frontchannel_logout_uri' | 'frontchannel_logout_session_required'>,
  issuer: string,
  sid: string,
): string | undefined {
  const { frontchannel_logout_uri: uri, frontchannel_logout_session_required: namesSession } = client;
  if (uri === undefined || !namesSession) return uri;
  return responseLocation(uri, 'query', [
    ['iss', issuer],
    ['sid', sid],
  ]);
}

/** Section 2: scheme, host and port are those of a registered redirect URI, so that no client has the frames of another loaded. */
export function isAtOwnOrigin(uri: string, redirectUris: readonly string[]): boolean {
  const origin = originOf(uri);
  return origin !== undefined && redirectUris.some(each => originOf(each) === origin);
}

/**
 * The origin stands in the policy of the page. The URL standard allows characters in a host that would end it there, such as `;` and `,`.
 */
const PLAIN_ORIGIN = /^https?:\/\/[\w.:[\]-]+$/;

function originOf(uri: string): string | undefined {
  const origin = URL.canParse(uri) ? new URL(uri).origin : '';
  return PLAIN_ORIGIN.test(origin) ? origin : undefined;
}
