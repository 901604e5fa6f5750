import type { RegistryCache } from '../applications/registry.ts';
import { header, type Reply, type Request } from '../message.ts';
import type { Cors } from './routes.ts';

/** The Fetch standard's CORS headers: documents for everybody, tokens only for the origins of an application's clients. */
export async function corsHeaders(
  cors: Cors,
  request: Request,
  registry: RegistryCache,
  app: string | undefined,
): Promise<Record<string, string>> {
  if (cors === 'everybody') return { 'access-control-allow-origin': '*' };
  if (cors === 'none' || app === undefined) return {};
  const origin = header(request, 'origin');
  if (origin === undefined || !(await registry.isClientOrigin(app, origin))) return { vary: 'Origin' };
  return {
    vary: 'Origin',
    'access-control-allow-origin': origin,
    'access-control-expose-headers': 'WWW-Authenticate, Retry-After',
  };
}

/** The answer to OPTIONS, a preflight or not. */
export function preflight(allow: string, granted: Record<string, string>): Reply {
  const headers: Record<string, string> = { allow, ...granted };
  if ('access-control-allow-origin' in granted) {
    headers['access-control-allow-methods'] = allow;
    headers['access-control-allow-headers'] = 'Authorization, Content-Type';
    headers['access-control-max-age'] = '3600';
  }
  return { status: 204, headers, body: '' };
}
