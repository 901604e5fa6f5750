import { DEFAULT_SIGNING_ALG, type SigningAlg } from '../../protocol/client.ts';
import { type Row, toKey } from '../rows.ts';
import type { MissingKey, SealedKey, SigningKeys } from '../signing-keys.ts';
import type { Database } from './connection/database.ts';

/** As `signingAlgOf` has it (protocol/client.ts); an application of an earlier release names no default. */
const OF_APPLICATION = `coalesce(settings ->> 'id_token_signed_response_alg', '${DEFAULT_SIGNING_ALG}')`;
const OF_CLIENT = "metadata ->> 'id_token_signed_response_alg'";
const IN_USE = `SELECT ${OF_APPLICATION} AS alg FROM applications WHERE code = ?1
  UNION SELECT ${OF_CLIENT} FROM clients WHERE app = ?1 AND ${OF_CLIENT} IS NOT NULL`;

export function signingKeys(db: Database): SigningKeys {
  const all = db.prepare('SELECT * FROM signing_keys WHERE app = ? ORDER BY sign_from, kid');
  const inUse = db.prepare(`${IN_USE} ORDER BY alg`);
  const missing = db.prepare(
    `SELECT app, alg
   FROM (SELECT DISTINCT app, coalesce(${OF_CLIENT}, ${OF_APPLICATION}) AS alg FROM clients JOIN applications ON code = app) AS used
   WHERE NOT EXISTS (SELECT 1 FROM signing_keys AS keys
                     WHERE keys.app = used.app AND keys.alg = used.alg AND retired_at IS NULL)`,
  );
  const newest = db.prepare(
    'SELECT kid FROM signing_keys WHERE app = ? AND alg = ? AND retired_at IS NULL ORDER BY sign_from DESC LIMIT 1',
  );
  const retire = db.prepare(
    `UPDATE signing_keys SET retired_at = ?2 WHERE app = ?1 AND retired_at IS NULL AND alg NOT IN (${IN_USE})`,
  );
  const note = db.prepare(
    `UPDATE signing_keys SET has_signed = 1 WHERE app = ?1 AND kid = ?2 AND has_signed = 0
     RETURNING alg NOT IN (${IN_USE}) AS unused`,
  );
  const drop = db.prepare('DELETE FROM signing_keys WHERE app = ? AND kid = ?');
  const grow = db.prepare('UPDATE registry_version SET version = version + 1');
  const add = prepareAddKey(db);

  return {
    signingKeys: app => db.read(() => (all.all(app) as Row[]).map(toKey)),
    signingAlgs: app => db.read(() => inUse.all(app).map(({ alg }) => alg as SigningAlg)),
    missingKeys: () => db.read(() => missing.all().map(({ app, alg }) => ({ app, alg }) as MissingKey)),
    addSigningKey: (key, after) =>
      db.write(() => {
        if (newest.get(key.app, key.alg)?.kid !== after) return;
        add(key);
        grow.run();
      }),
    noteKeySigned: (app, kid) =>
      db.write(() => {
        if (note.get(app, kid)?.unused === 1) grow.run();
      }),
    retireUnusedKeys: (app, now) =>
      db.write(() => {
        if (retire.run(app, now).changes > 0) grow.run();
      }),
    dropSigningKeys: (app, kids, replacements = []) =>
      db.write(() => {
        for (const kid of kids) drop.run(app, kid);
        replacements.forEach(add);
        grow.run();
      }),
  };
}

export function prepareAddKey(db: Database): (key: SealedKey) => void {
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
