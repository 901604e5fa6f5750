import { capability } from '../../capability.ts';

/**
 * The implicit flow (OpenID Connect Core section 3.2): the authorization endpoint (authorize/) returns the tokens itself, so that there is
 * no token request.
 */
export const implicit = capability('oauth/implicit', { grants: { implicit: {} } });
