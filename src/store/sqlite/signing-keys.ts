import type { SealedKey } from '../signing-keys.ts';
import type { Database } from './connection/database.ts';

function prepareAddKey(db: Database): (key: SealedKey) => void {
  const insert = db.prepare(
    `INSERT INTO signing_keys (app, kid, alg, public_jwk, sealed_private_key, created_at, sign_from, has_signed)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  return ({ app, kid, alg, publicJwk, sealedPrivateKey, createdAt, signFrom, hasSigned }) => {
    insert.run(app, kid, alg, publicJwk, sealedPrivateKey, createdAt, signFrom, hasSigned ? 1 : 0);
  };
}

/** For an apply file, whose changes are one write: the first key of an algorithm, unless another was faster. */
export function prepareAddFirstKey(db: Database): (key: SealedKey) => void {
  const present = db.prepare('SELECT 1 FROM signing_keys WHERE app = ? AND alg = ? AND retired_at IS NULL LIMIT 1');
  const add = prepareAddKey(db);
  return key => {
    if (!present.get(key.app, key.alg)) add(key);
  };
}
