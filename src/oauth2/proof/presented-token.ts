import { header, isForm, type Refusal, type Request } from '../../message.ts';
import type { Confirmation } from '../../protocol/confirmation.ts';
import { type Failure, failure } from '../../protocol/errors.ts';
import { parseParams } from '../../protocol/params.ts';
import type { Services } from '../../services.ts';
import { none } from './none.ts';
import { proofOf, proofs } from './proofs.ts';

/** An access token with which a request is authorized, and the token_type whose scheme it came under. */
export interface PresentedToken {
  readonly token: string;
  readonly tokenType: string;
}

export function tokenInHeader(request: Request): PresentedToken | undefined {
  const authorization = header(request, 'authorization');
  if (authorization === undefined) return undefined;
  for (const { tokenType, authorization: scheme } of proofs) {
    const token = scheme.exec(authorization)?.[1];
    if (token !== undefined) return { token, tokenType };
  }
  return undefined;
}

/** RFC 6750 sections 2.1 and 2.2. A token in the URL (2.3) is ignored: URLs are logged everywhere. */
export function presentedToken(request: Request): PresentedToken | { readonly failure: Failure } {
  const inHeader = tokenInHeader(request);
  const inBody = request.method === 'POST' && isForm(request) ? tokenInBody(request) : undefined;
  if (inHeader && inBody) return { failure: failure('bearerTwice') };
  return inHeader ?? inBody ?? { failure: failure(hasTokenScheme(request) ? 'tokenInvalid' : 'bearerMissing') };
}

/** Only a token that is bound to nothing can come in the body: a proof has the Authorization header of its own. */
function tokenInBody(request: Request): PresentedToken | undefined {
  const token = parseParams(request.body).get('access_token');
  return token === undefined ? undefined : { token, tokenType: none.tokenType };
}

/** A malformed token under a scheme of ours is an invalid token; another scheme counts as no token. */
function hasTokenScheme(request: Request): boolean {
  const [, scheme] = /^(\S+) +\S/.exec(header(request, 'authorization') ?? '') ?? [];
  return proofs.some(({ tokenType }) => tokenType.toLowerCase() === scheme?.toLowerCase());
}

/** False for a token that is bound to nothing and came as such: there is nothing to verify, and no promise to wait for. */
export function needsProof({ tokenType }: PresentedToken, confirmation: Confirmation | undefined): boolean {
  return confirmation !== undefined || tokenType !== none.tokenType;
}

/** Whether the request comes with the proof to which its token is bound; undefined if it does. */
export async function refusedProof(
  services: Services,
  request: Request,
  { token, tokenType }: PresentedToken,
  confirmation: Confirmation | undefined,
): Promise<Refusal | undefined> {
  const proof = proofOf(confirmation);
  const possession = proof?.tokenType === tokenType ? proof.possession : undefined;
  const presented = possession?.presented(request, undefined);
  if (!possession || presented === undefined) return INVALID;
  const verified = await possession.verify(services, request, presented, token);
  if (verified.kind === 'refused') return verified;
  return verified.thumbprint === confirmation?.[possession.method] ? undefined : INVALID;
}

const INVALID: Refusal = { failure: failure('tokenInvalid') };
