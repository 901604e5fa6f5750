import type { Client } from '../../directory/clients/rules.ts';
import { type Failure, failure } from '../../failures.ts';

/** A proof is needed and there is none: to a client of FAPI 2.0 the request lacks something (row 63). */
export function missingProof(client: Pick<Client, 'profile'> | undefined): Failure {
  return client?.profile === undefined ? failure('proofInvalid', 'missing') : failure('proofMissing');
}
