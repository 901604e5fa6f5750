import type { RefusalFacts } from '../../audit/refusals/facts.rules.ts';
import { failure, parameterFailure } from '../../failures.ts';
import { type Headers, header, isForm, type Refusal, type Request } from '../../platform/http/message.ts';
import type { Services } from '../../services.ts';
import { none } from './bearer.ts';
import { CERTIFICATE_METHOD, type Confirmation } from './confirmation.rules.ts';
import type { Possession, Proof } from './proof.ts';
import { proofOf } from './proofs.ts';

/** An access token with which a request is authorized, and the token_type whose scheme it came under. */
export interface PresentedToken {
  readonly token: string;
  readonly tokenType: string;
}

export function tokenInHeader({ tables }: Services, request: Request): PresentedToken | undefined {
  const authorization = header(request, 'authorization');
  if (authorization === undefined) return undefined;
  for (const { tokenType, authorization: scheme } of tables.proofs) {
    const token = scheme.exec(authorization)?.[1];
    if (token !== undefined) return { token, tokenType };
  }
  return undefined;
}

/** RFC 6750 sections 2.1 and 2.2. A token in the URL (2.3) is ignored: URLs are logged everywhere. */
export function presentedToken(services: Services, request: Request): PresentedToken | Refusal {
  const inHeader = tokenInHeader(services, request);
  const inBody = request.method === 'POST' && isForm(request) ? tokenInBody(request) : undefined;
  if (inBody && 'failure' in inBody) return inBody;
  if (inHeader && inBody) return { failure: failure('bearerTwice') };
  return inHeader ?? inBody ?? withoutToken(services, request);
}

/** Only a token that is bound to nothing can come in the body: a proof has the Authorization header of its own. */
function tokenInBody({ form }: Request): PresentedToken | Refusal | undefined {
  const fault = form.fault(['access_token']);
  if (fault) return { failure: parameterFailure(fault) };
  const token = form.get('access_token');
  return token === undefined ? undefined : { token, tokenType: none.tokenType };
}

/** A malformed token under a scheme of ours is an invalid token; another scheme counts as no token. */
function withoutToken(services: Services, request: Request): Refusal {
  const [, scheme] = /^(\S+) +\S/.exec(header(request, 'authorization') ?? '') ?? [];
  const proof = services.tables.proofs.find(({ tokenType }) => tokenType.toLowerCase() === scheme?.toLowerCase());
  return proof ? invalidToken(services, proof.tokenType) : { failure: failure('bearerMissing') };
}

/** False for a token that is bound to nothing and came as such: there is nothing to verify, and no promise to wait for. */
export function needsProof({ tokenType }: PresentedToken, confirmation: Confirmation | undefined): boolean {
  return confirmation !== undefined || tokenType !== none.tokenType;
}

/** `headers`: for the answer. */
export type CheckedToken =
  | { readonly kind: 'proved'; readonly headers?: Readonly<Headers> | undefined }
  | ({ readonly kind: 'refused' } & Refusal);

/** Of a token for which there is nothing to check: one object for all of them. */
export const PROVED: CheckedToken = { kind: 'proved' };

/** Whether the request comes with the proof to which its token is bound. */
export async function checkPossession(
  services: Services,
  request: Request,
  { token, tokenType }: PresentedToken,
  confirmation: Confirmation | undefined,
): Promise<CheckedToken> {
  const proof = proofOf(services.tables, confirmation);
  const possession = proof?.tokenType === tokenType ? proof.possession : undefined;
  if (!proof || !possession) return otherScheme(services, tokenType, proof);
  const verified = await possession.verify(services, request, possession.presented(request, undefined) ?? '', token);
  if (verified.kind === 'refused') return { ...verified, ...challengeOf(services, tokenType) };
  const { thumbprint: received, headers } = verified;
  const expected = confirmation?.[possession.method];
  if (received === expected) return { kind: 'proved', headers };
  return { kind: 'refused', ...invalidToken(services, tokenType), facts: factsOfOther(possession, expected, received) };
}

function factsOfOther({ method }: Possession, expected: string | undefined, received: string): RefusalFacts {
  return method === CERTIFICATE_METHOD
    ? { certificate: { fault: 'otherCertificate', expected, received } }
    : { proof: { fault: 'otherKey', expected, received } };
}

/** A bound token that came as a bearer token, or one that is bound to nothing and came with a proof (RFC 9449 section 7.2). */
function otherScheme(services: Services, received: string, proof: Proof | undefined): CheckedToken {
  const expected = proof?.tokenType;
  const scheme = expected === undefined || expected === none.tokenType ? received : expected;
  return {
    kind: 'refused',
    ...invalidToken(services, scheme),
    facts: { proof: { fault: 'scheme', expected, received } },
  };
}

/** The refusal of a token that came under this scheme. */
export function invalidToken(services: Services, tokenType: string): Refusal {
  return { failure: failure('tokenInvalid'), ...challengeOf(services, tokenType) };
}

/** Bearer is what platform/http/error-response.ts says without it. */
export function challengeOf({ tables }: Services, tokenType: string): Pick<Refusal, 'challenge'> {
  const proof = tables.proofs.find(each => each.tokenType === tokenType);
  return proof?.challenge === undefined ? {} : { challenge: { scheme: tokenType, parameters: proof.challenge } };
}
