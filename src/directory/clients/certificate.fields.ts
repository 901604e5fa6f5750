import { holderFields } from '../../oauth/mtls/holder.rules.ts';
import { certificatesIn } from '../../oauth/mtls/registered.rules.ts';
import type { ClientEntry } from './rules.ts';

/** What does not fit together in a client that has certificates (RFC 8705), by field. */
export function certificateFaults(client: ClientEntry): [string, string][] {
  const { token_endpoint_auth_method: method, jwks, jwks_uri } = client;
  const faults: [string, string][] = [];
  const names = holderFields.filter(field => client[field] !== undefined);
  const [first = 'tls_client_auth_subject_dn', second] = names;
  if (method === 'tls_client_auth' && names.length === 0) {
    faults.push([first, `must be set with tls_client_auth, or another of ${holderFields.join(', ')}`]);
  }
  if (method !== 'tls_client_auth' && names.length > 0) faults.push([first, 'is of use with tls_client_auth alone']);
  // RFC 8705 section 2.1.2: exactly one.
  if (second !== undefined) faults.push([second, `must not be set together with ${first}`]);
  if (method === 'self_signed_tls_client_auth' && !jwks && jwks_uri === undefined) {
    faults.push(['jwks', 'must be set with self_signed_tls_client_auth, or jwks_uri']);
  }
  if (method === 'self_signed_tls_client_auth' && jwks && certificatesIn(jwks).length === 0) {
    faults.push(['jwks', 'must have a key with its certificate (x5c)']);
  }
  if (client.tls_client_certificate_bound_access_tokens && client.dpop_bound_access_tokens) {
    faults.push([
      'dpop_bound_access_tokens',
      'must not be set together with tls_client_certificate_bound_access_tokens',
    ]);
  }
  return faults;
}
