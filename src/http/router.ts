import {
  ENDPOINT_PREFIX,
  type EndpointRoute,
  endpoints,
  type PageRoute,
  pagePrefixes,
  pages,
  wellKnownPrefixes,
} from './routes.ts';

export type Match =
  | { readonly kind: 'endpoint'; readonly name: string; readonly app: string; readonly route: EndpointRoute }
  | { readonly kind: 'page'; readonly name: string; readonly route: PageRoute };

/** Paths are compared as they were sent: none of ours needs an encoded character. */
export function match(path: string): Match | undefined {
  if (path.startsWith(ENDPOINT_PREFIX)) return matchEndpoint(path.slice(ENDPOINT_PREFIX.length));
  const route = pages.get(path);
  if (route) return { kind: 'page', name: path, route };
  for (const prefix of wellKnownPrefixes) {
    if (path.startsWith(prefix + ENDPOINT_PREFIX)) return matchWellKnown(path.slice((prefix + ENDPOINT_PREFIX).length));
  }
  const prefixed = pagePrefixes.find(([prefix]) => path.startsWith(prefix));
  return prefixed && { kind: 'page', name: prefixed[0], route: prefixed[1](path) };
}

/** `shop/oauth2/token` */
function matchEndpoint(rest: string): Match | undefined {
  const slash = rest.indexOf('/');
  if (slash < 1 || !rest.startsWith('/oauth2/', slash)) return undefined;
  const name = rest.slice(slash + '/oauth2/'.length);
  const route = endpoints.get(name);
  return route && { kind: 'endpoint', name, app: rest.slice(0, slash), route };
}

/** `shop/oauth2`, after the part that RFC 8414 section 3.1 puts in front of it. */
function matchWellKnown(rest: string): Match | undefined {
  const app = /^([^/]+)\/oauth2$/.exec(rest)?.[1];
  return app === undefined ? undefined : matchEndpoint(`${app}/oauth2/.well-known/openid-configuration`);
}
