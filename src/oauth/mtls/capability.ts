import { capability, from } from '../../capability.ts';

/**
 * Certificates of clients (mutual TLS, RFC 8705): tokens that are bound to one, and how a certificate comes and what it proves. Clients
 * authenticate by it in oauth/client-authentication. assembly/tls.ts has the port.
 */
export const mtls = capability('oauth/mtls', {
  proofs: [from(() => import('./proof.ts'), 'mtls')],
  fields: from(() => import('./fields.ts'), 'mtlsFields'),
});
