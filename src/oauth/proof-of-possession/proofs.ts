import { dpop } from '../dpop/proof.ts';
import type { Confirmation } from './confirmation.rules.ts';
import { none } from './none.ts';
import type { Proof } from './proof.ts';

/** The proofs of possession. A further one is a file and a row; if a request carries several, the first row counts. */
export const proofs: readonly Proof[] = [none, dpop];

/** The proof by which a token is bound; undefined: by one that is not in the table, so the token cannot be used. */
export function proofOf(confirmation: Confirmation | undefined): Proof | undefined {
  if (confirmation === undefined) return none;
  return proofs.find(({ possession }) => possession !== undefined && possession.method in confirmation);
}
