import { assertionMethod } from './client-assertion.ts';

/** OpenID Connect Core section 9: signed with the secret, which never travels. */
export const clientSecretJwt = assertionMethod('client_secret_jwt');
