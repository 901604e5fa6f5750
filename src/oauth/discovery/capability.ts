import { capability } from '../../capability.ts';
import { endpoint, hot, ISSUER, noBody, PUBLISHED } from '../../platform/http/route.ts';

const NAME = '.well-known/openid-configuration';
const methods = {
  GET: noBody(hot(() => import('./endpoint.ts'), 'discovery')),
};

/** Metadata of an issuer (OpenID Connect Discovery, RFC 8414): {issuer}/.well-known/openid-configuration. */
export const discovery = capability('oauth/discovery', {
  routes: [
    endpoint(NAME, PUBLISHED, methods),
    // RFC 8414 section 3.1 puts the well-known part before the path of the issuer; the OpenID form answers there too.
    endpoint(NAME, PUBLISHED, methods, `/.well-known/oauth-authorization-server${ISSUER}`),
    endpoint(NAME, PUBLISHED, methods, `/.well-known/openid-configuration${ISSUER}`),
  ],
});
