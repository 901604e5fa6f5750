import { capability, from } from '../../capability.ts';

/**
 * Encryption (JWE, RFC 7516): ID tokens, answers of userinfo and introspection, and authorization responses to a key of the client;
 * authorization requests to a key of the application.
 */
export const encryption = capability('oauth/encryption', {
  fields: from(() => import('./fields.ts'), 'encryptionFields'),
});
