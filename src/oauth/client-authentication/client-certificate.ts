import type { Client } from '../../directory/clients/rules.ts';
import type { Request } from '../../platform/http/message.ts';
import { type CallerCertificate, callerCertificate } from '../mtls/certificate.ts';
import { comparedNames, namesClient, readHolder } from '../mtls/holder.rules.ts';
import { certificatesIn } from '../mtls/registered.rules.ts';
import type { FaultyCertificate } from '../mtls/rules.ts';
import type { KeySets } from './jwt-verifier.ts';
import type { ClientAuthMethod, Verdict, Verification } from './method.ts';

type CertificateMethod = 'tls_client_auth' | 'self_signed_tls_client_auth';

/** RFC 8705 section 2: who has the key of the certificate was shown to TLS; what the certificate proves is verified with each request. */
export function certificateMethod(request: Request, name: CertificateMethod): ClientAuthMethod {
  return {
    name,
    parameters: ['client_id'],
    reusable: false,
    presented: (_request, params) => params.get('client_id'),
    readings: clientId => [{ clientId, secret: '' }],
    verify: verification => verifyCertificate(request, verification),
  };
}

async function verifyCertificate(request: Request, { services, client }: Verification): Promise<Verdict> {
  const certificate = callerCertificate(services, request);
  if ('fault' in certificate) return { certificate };
  const fault =
    client.token_endpoint_auth_method === 'tls_client_auth'
      ? holderFault(services.config.clientCertificates?.authorities, certificate, client)
      : await registrationFault(services.keySets.of(client), certificate, client);
  return fault ? { certificate: fault } : 'verified';
}

/** Section 2.1: issued by an authority that the operator trusts, to the name that the client is registered with. */
function holderFault(
  authorities: string | undefined,
  { x509, isIssuedByAuthority }: CallerCertificate,
  client: Client,
): FaultyCertificate | undefined {
  if (authorities === undefined) return { fault: 'noAuthorities' };
  if (!isIssuedByAuthority()) return { fault: 'issuer' };
  const holder = readHolder(x509.raw);
  return holder && namesClient(holder, client) ? undefined : { fault: 'holder', ...comparedNames(holder, client) };
}

/** Section 2.2: one of the certificates that the client has registered, whoever has issued it. */
async function registrationFault(
  keySets: KeySets,
  { x509 }: CallerCertificate,
  { jwks, jwks_uri: uri }: Client,
): Promise<FaultyCertificate | undefined> {
  const isAmong = (keys: NonNullable<Client['jwks']>) => certificatesIn(keys).some(each => each.equals(x509.raw));
  if (jwks) return isAmong(jwks) ? undefined : { fault: 'unregistered' };
  const known = uri === undefined ? undefined : await keySets.read(uri);
  if (uri === undefined || known?.kind !== 'read') return { fault: 'keysUnreachable' };
  if (isAmong(known.document)) return undefined;
  const newer = await keySets.readNewer(uri, known);
  return newer?.kind === 'read' && isAmong(newer.document) ? undefined : { fault: 'unregistered' };
}
