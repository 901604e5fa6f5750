import type { Tables } from '../../services.ts';
import { none } from './bearer.ts';
import type { Confirmation } from './confirmation.rules.ts';
import type { Proof } from './proof.ts';

/** The proof by which a token is bound; undefined: by one that no capability declares, so the token cannot be used. */
export function proofOf({ proofs }: Pick<Tables, 'proofs'>, confirmation: Confirmation | undefined): Proof | undefined {
  if (confirmation === undefined) return none;
  return proofs.find(({ possession }) => possession !== undefined && possession.method in confirmation);
}
