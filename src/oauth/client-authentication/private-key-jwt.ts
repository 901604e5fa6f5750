import { assertionMethod } from './client-assertion.ts';

/** OpenID Connect Core section 9: signed with a key whose public half the client has registered (`jwks`) or publishes (`jwks_uri`). */
export const privateKeyJwt = assertionMethod('private_key_jwt');
