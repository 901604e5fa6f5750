import type { SealedKey } from '../signing-keys.ts';
import { type Run, statement } from './connection/statement.ts';

const COLUMNS = 'app, kid, alg, public_jwk, sealed_private_key, created_at, sign_from, has_signed';
const ADD_FIRST_KEY = statement(
  `INSERT INTO signing_keys (${COLUMNS}) SELECT $1::text, $2, $3::text, $4, $5::bytea, $6::bigint, $7::bigint, $8::boolean
   WHERE NOT EXISTS (SELECT 1 FROM signing_keys WHERE app = $1 AND alg = $3 AND retired_at IS NULL)`,
);
/** For an apply file, in whose transaction nobody else changes the registry: the first key of an algorithm, unless another was faster. */
export function addFirstKey(run: Run, key: SealedKey): Promise<unknown> {
  return run(ADD_FIRST_KEY, valuesOf(key));
}

function valuesOf({ app, kid, alg, publicJwk, sealedPrivateKey, createdAt, signFrom, hasSigned }: SealedKey) {
  return [app, kid, alg, publicJwk, sealedPrivateKey, createdAt, signFrom, hasSigned];
}
