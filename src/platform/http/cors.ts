import type { Services } from '../../services.ts';
import { type Headers, header, type Reply, type Request } from './message.ts';
import type { Match } from './router.ts';

export const NO_HEADERS: Readonly<Headers> = {};
export const EVERY_ORIGIN: Readonly<Headers> = { 'access-control-allow-origin': '*' };
export const DEPENDS_ON_ORIGIN: Readonly<Headers> = { vary: 'Origin' };

/**
 * The Fetch standard's CORS headers: documents for every origin, tokens only for the origins of an application's clients. The store is not
 * asked: an origin that is not in memory is granted nothing.
 */
export function cachedHeaders({ registry }: Services, request: Pick<Request, 'headers'>, match: Match): Headers {
  const { kind, cors } = match.route;
  if (cors === 'everyOrigin') return EVERY_ORIGIN;
  if (cors === 'none' || kind === 'page') return NO_HEADERS;
  const origin = header(request, 'origin');
  const isKnown = origin !== undefined && registry.isCachedOrigin(match.app, origin);
  return isKnown ? forClient(origin) : DEPENDS_ON_ORIGIN;
}

/** For an origin that is not in memory. */
export async function originHeaders({ registry }: Services, app: string, origin: string): Promise<Headers> {
  return (await registry.isClientOrigin(app, origin)) ? forClient(origin) : DEPENDS_ON_ORIGIN;
}

function forClient(origin: string): Headers {
  return {
    vary: 'Origin',
    'access-control-allow-origin': origin,
    'access-control-expose-headers': 'WWW-Authenticate, Retry-After, DPoP-Nonce',
  };
}

/** The answer to OPTIONS, a preflight or not. What is granted comes with it, as with every answer. */
export function preflight(allow: string, granted: Headers): Reply {
  const headers: Headers = { allow };
  if ('access-control-allow-origin' in granted) {
    headers['access-control-allow-methods'] = allow;
    headers['access-control-allow-headers'] = 'Authorization, Content-Type, DPoP';
    headers['access-control-max-age'] = '3600';
  }
  return { status: 204, headers, body: '' };
}
