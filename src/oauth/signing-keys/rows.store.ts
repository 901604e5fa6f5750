import type { Row } from '../../platform/store/row.ts';
import type { SealedKey } from './store.ts';

export function toKey(row: Row): SealedKey {
  return {
    app: row.app as string,
    kid: row.kid as string,
    alg: row.alg as SealedKey['alg'],
    publicJwk: row.public_jwk as string,
    sealedPrivateKey: row.sealed_private_key as Uint8Array,
    createdAt: row.created_at as number,
    signFrom: row.sign_from as number,
    retiredAt: row.retired_at === null ? undefined : (row.retired_at as number),
    hasSigned: Boolean(row.has_signed),
  };
}
