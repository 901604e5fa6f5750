import { failure } from '../../failures.ts';
import type { Request } from '../../platform/http/message.ts';
import type { Services } from '../../services.ts';
import type { VerifiedProof } from '../proof-of-possession/proof.ts';
import { callerCertificate } from './certificate.ts';
import { CERTIFICATE_PARTS } from './rules.ts';

/** Any valid certificate binds a token, whoever has issued it (RFC 8705 section 3): what counts is its key. */
export async function verifyCertificate(
  services: Services,
  request: Request,
  accessToken: string | undefined,
): Promise<VerifiedProof> {
  const certificate = callerCertificate(services, request);
  if (!('fault' in certificate)) return { kind: 'proved', thumbprint: certificate.thumbprint };
  const facts = { certificate };
  if (accessToken !== undefined) return { kind: 'refused', failure: failure('tokenInvalid'), facts };
  return { kind: 'refused', failure: failure('certificateUnusable', CERTIFICATE_PARTS[certificate.fault]), facts };
}
