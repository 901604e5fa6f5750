import type { Client } from '../../directory/clients/rules.ts';
import { failure } from '../../failures.ts';
import { type JwtObject, readJwtPart } from '../../platform/crypto/jwt-part.rules.ts';
import type { Headers, Request } from '../../platform/http/message.ts';
import { isFirstUse } from '../../platform/single-use/first-use.ts';
import type { Services } from '../../services.ts';
import { allowedAlgs } from '../fapi/rules.ts';
import type { VerifiedProof } from '../proof-of-possession/proof.ts';
import { missingProof } from './missing.ts';
import { freshNonce, stepOfNonce, timeOfStep } from './nonce.ts';
import {
  claimsFault,
  dpopAlgs,
  type FaultyProof,
  isCurrentStep,
  MAX_PROOF_LENGTH,
  nonceStep,
  PROOF_PARTS,
  type ProofFault,
  timeFault,
  useOfProof,
} from './rules.ts';
import { hasSignedProof, proofKey } from './signature.ts';

/**
 * RFC 9449 section 4.3. What costs nothing comes first: only what is right so far has its signature verified, and only what is authentic
 * is stored.
 */
export async function verifyDpop(
  services: Services,
  request: Request,
  presented: string,
  accessToken: string | undefined,
  client?: Pick<Client, 'profile'> | undefined,
): Promise<VerifiedProof> {
  const checked = checkProof(services, request, presented, accessToken, client);
  if ('fault' in checked) return refused(services, checked, accessToken, client);
  const { thumbprint, jti, step } = checked;
  const isFirst = await isFirstUse(services, 'DPoP proof', [thumbprint, jti], useOfProof(step));
  if (!isFirst) return refused(services, { fault: 'replayed' }, accessToken);
  return { kind: 'proved', thumbprint, headers: nextNonce(services, checked) };
}

interface CheckedProof {
  readonly thumbprint: string;
  readonly jti: string;
  /** When it was made, by its nonce or else by `iat`. */
  readonly step: number;
  readonly hasNonce: boolean;
}

/** All checks but that it was not used before. */
function checkProof(
  services: Pick<Services, 'config' | 'clock' | 'ring'>,
  request: Pick<Request, 'method' | 'path'>,
  presented: string,
  accessToken: string | undefined,
  client: Pick<Client, 'profile'> | undefined,
): CheckedProof | FaultyProof {
  const form = formFault(presented);
  if (form) return { fault: form };
  const [first, last] = [presented.indexOf('.'), presented.lastIndexOf('.')];
  const header = presented.slice(0, first);
  const key = proofKey(header);
  if ('fault' in key) return key;
  if (client && !allowedAlgs(client, dpopAlgs).includes(key.alg)) return { fault: 'algorithm' };
  const claims = readJwtPart(presented.slice(first + 1, last));
  if (!claims) return { fault: 'malformed' };
  const { method, path } = request;
  const { baseUrl, clientCertificates } = services.config;
  const alias = clientCertificates?.baseUrl && clientCertificates.baseUrl + path;
  const fault = claimsFault(claims, { method, url: baseUrl + path, alias, accessToken });
  if (fault) return fault;
  const made = stepOf(services, claims);
  if (typeof made !== 'number') return made;
  if (!hasSignedProof(key, header, presented.slice(0, last), presented.slice(last + 1))) return { fault: 'signature' };
  return {
    thumbprint: key.thumbprint,
    jti: claims.jti as string,
    step: made,
    hasNonce: claims.nonce !== undefined,
  };
}

/** node:http joins headers of the same name by commas, which no JWT has. */
function formFault(presented: string): ProofFault | undefined {
  if (presented === '') return 'missing';
  if (presented.includes(',')) return 'several';
  if (presented.length > MAX_PROOF_LENGTH) return 'tooLong';
  return /^[\w-]+\.[\w-]+\.[\w-]+$/.test(presented) ? undefined : 'malformed';
}

/** A nonce says when the proof was made, whatever the clock of the client says (RFC 9449 sections 8 and 11.1). */
function stepOf({ ring, clock }: Pick<Services, 'ring' | 'clock'>, { nonce, iat }: JwtObject): number | FaultyProof {
  const now = clock.now();
  if (nonce === undefined) return timeFault(iat as number, now) ?? nonceStep(iat as number);
  const step = stepOfNonce({ ring }, nonce);
  if (step === undefined) return { fault: 'nonceUnknown' };
  if (isCurrentStep(step, now)) return step;
  return { fault: 'nonceStale', expected: String(now), received: String(timeOfStep(step)) };
}

/** A client that uses nonces gets the next one before its own ends (RFC 9449 section 8.2). */
function nextNonce(services: Services, { hasNonce, step }: CheckedProof): Headers | undefined {
  if (!hasNonce || step === nonceStep(services.clock.now())) return undefined;
  return { 'dpop-nonce': freshNonce(services) };
}

/** A fresh nonce mends these: the client repeats the request with it (RFC 9449 section 8). */
const MENDED_BY_NONCE: readonly ProofFault[] = ['tooOld', 'tooEarly', 'nonceUnknown', 'nonceStale'];

function refused(
  services: Services,
  faulty: FaultyProof,
  accessToken: string | undefined,
  client?: Pick<Client, 'profile'> | undefined,
): VerifiedProof {
  const facts = { proof: faulty };
  const isForToken = accessToken !== undefined;
  if (MENDED_BY_NONCE.includes(faulty.fault)) {
    const headers = { 'dpop-nonce': freshNonce(services) };
    const reason = failure(isForToken ? 'nonceNeededWithToken' : 'nonceNeeded');
    return { kind: 'refused', failure: reason, headers, facts };
  }
  if (faulty.fault === 'missing' && !isForToken) return { kind: 'refused', failure: missingProof(client), facts };
  const reason = failure(isForToken ? 'proofInvalidWithToken' : 'proofInvalid', PROOF_PARTS[faulty.fault]);
  return { kind: 'refused', failure: reason, facts };
}
