import type { Refusal, Request } from '../../message.ts';
import type { Client } from '../../protocol/client.ts';
import type { Confirmation } from '../../protocol/confirmation.ts';
import type { Services } from '../../services.ts';
import { none } from './none.ts';
import type { Possession } from './proof.ts';
import { proofs } from './proofs.ts';

/** What a new access token is bound to. */
export interface Binding {
  readonly tokenType: string;
  readonly confirmation: Confirmation | undefined;
}

/** One object for all requests without a proof: they cost no allocation. */
export const UNBOUND: Binding = { tokenType: none.tokenType, confirmation: undefined };

export interface PresentedProof {
  readonly tokenType: string;
  readonly possession: Possession;
  readonly presented: string;
}

/** The proof that a token request carries. `client`: undefined while it is not known. */
export function presentedProof(request: Request, client: Client | undefined): PresentedProof | undefined {
  for (const { tokenType, possession } of proofs) {
    const presented = possession?.presented(request, client);
    if (possession && presented !== undefined) return { tokenType, possession, presented };
  }
  return undefined;
}

export async function verifyProof(
  services: Services,
  request: Request,
  { tokenType, possession, presented }: PresentedProof,
): Promise<Binding | Refusal> {
  const verified = await possession.verify(services, request, presented, undefined);
  if (verified.kind === 'refused') return verified;
  return { tokenType, confirmation: { [possession.method]: verified.thumbprint } };
}

/** Whether a request with this proof may use a token that is bound to this key. One that is bound to nothing needs no proof. */
export function hasProofOf({ confirmation: proved }: Binding, confirmation: Confirmation | undefined): boolean {
  if (confirmation === undefined) return true;
  const methods = Object.keys(confirmation);
  return methods.length > 0 && methods.every(method => proved?.[method] === confirmation[method]);
}
