import type { Client } from '../../directory/clients/rules.ts';
import { failure } from '../../failures.ts';
import { bindCredential } from '../../platform/crypto/credential.ts';
import type { Headers, Refusal, Request } from '../../platform/http/message.ts';
import type { ProofAttempt } from '../../platform/throttle/attempts.ts';
import type { Services } from '../../services.ts';
import { isPublicClient } from '../client-authentication/public-client.ts';
import { none } from './bearer.ts';
import { CERTIFICATE_METHOD, type Confirmation, type NamedKey, nameOfKey } from './confirmation.rules.ts';
import type { Possession } from './proof.ts';

/** What a new access token is bound to. */
export interface Binding {
  readonly tokenType: string;
  readonly confirmation: Confirmation | undefined;
  /** Of the answer that the proof was right with. */
  readonly headers?: Readonly<Headers> | undefined;
  /** Where the proof counts until the request succeeds. */
  readonly attempt?: ProofAttempt | undefined;
}

/** One object for all requests without a proof: they cost no allocation. */
export const UNBOUND: Binding = { tokenType: none.tokenType, confirmation: undefined };

export interface PresentedProof {
  readonly tokenType: string;
  readonly possession: Possession;
  readonly presented: string;
}

/** The proof that a token request carries. `client`: undefined while it is not known. */
export function presentedProof(
  { tables }: Services,
  request: Request,
  client: Client | undefined,
): PresentedProof | undefined {
  for (const { tokenType, possession } of tables.proofs) {
    const presented = possession?.presented(request, client);
    if (possession && presented !== undefined) return { tokenType, possession, presented };
  }
  return undefined;
}

/**
 * What the tokens of a request are bound to. `isAuthenticated`: whether the caller has proved to be a client; others are limited,
 * because the store remembers their proofs.
 */
export async function verifyProof(
  services: Services,
  request: Request,
  { tokenType, possession, presented }: PresentedProof,
  isAuthenticated: boolean,
  client?: Client | undefined,
): Promise<Binding | Refusal> {
  const attempt =
    isAuthenticated || possession.storesNothing ? undefined : ({ kind: 'proof', address: request.address } as const);
  const { wait } = attempt ? await services.throttle.admit(attempt) : { wait: 0 };
  if (wait > 0) return { failure: failure('tooManyProofs'), retryAfter: wait };
  const verified = await possession.verify(services, request, presented, undefined, client);
  if (verified.kind === 'proved') {
    const { thumbprint, headers } = verified;
    return { tokenType, confirmation: { [possession.method]: thumbprint }, headers, attempt };
  }
  if (attempt) services.throttle.withdrawn(attempt);
  return verified;
}

/** The request has succeeded: its proof is not counted any more. */
export function noteSuccess({ throttle }: Services, { attempt }: Binding): void {
  if (attempt) throttle.withdrawn(attempt);
}

/** The DPoP key of a binding. */
export function keyOfBinding({ confirmation }: Binding): string | undefined {
  return confirmation?.jkt;
}

/**
 * The key or certificate that a refresh token is bound to: of a public client alone, since another one authenticates (RFC 9449 section 5,
 * RFC 8705 section 4).
 */
export function refreshKey(binding: Binding, client: Client | undefined): NamedKey | undefined {
  return client && !isPublicClient(client) ? undefined : nameOfKey(binding.confirmation);
}

/** A new credential that only the holder of the key can use; as it is, where there is no key. */
export function boundCredential(credential: string, key: NamedKey | undefined): string {
  return key === undefined ? credential : bindCredential(credential, key);
}

/** Whether tokens of this client have to be bound and are not: by a certificate, or by DPoP. */
export function lacksDemandedProof({ confirmation }: Binding, client: Client): 'certificate' | 'proof' | undefined {
  if (client.tls_client_certificate_bound_access_tokens && !confirmation?.[CERTIFICATE_METHOD]) return 'certificate';
  return client.dpop_bound_access_tokens && confirmation?.jkt === undefined ? 'proof' : undefined;
}

/** Whether a request with this proof may use a token that is bound to this key. One that is bound to nothing needs no proof. */
export function hasProofOf({ confirmation: proved }: Binding, confirmation: Confirmation | undefined): boolean {
  if (confirmation === undefined) return true;
  const methods = Object.keys(confirmation);
  return methods.length > 0 && methods.every(method => proved?.[method] === confirmation[method]);
}
