import { DEFAULT_SIGNING_ALG, type SigningAlg } from '../../protocol/client.ts';
import { toKey } from '../rows.ts';
import type { MissingKey, SealedKey, SigningKeys } from '../signing-keys.ts';
import type { Database } from './connection/database.ts';
import { type Run, statement } from './connection/statement.ts';
import { GROW, TURN } from './registry-version.ts';

/** As `signingAlgOf` has it (protocol/client.ts); an application of an earlier release names no default. */
const OF_APPLICATION = `coalesce(settings::json ->> 'id_token_signed_response_alg', '${DEFAULT_SIGNING_ALG}')`;
const OF_CLIENT = "metadata::json ->> 'id_token_signed_response_alg'";
const IN_USE = `SELECT ${OF_APPLICATION} AS alg FROM applications WHERE code = $1
  UNION SELECT ${OF_CLIENT} FROM clients WHERE app = $1 AND ${OF_CLIENT} IS NOT NULL`;

const KEYS = statement(
  `SELECT app, kid, alg, public_jwk, sealed_private_key, created_at, sign_from, retired_at, has_signed
   FROM signing_keys WHERE app = $1 ORDER BY sign_from, kid`,
);
const ALGS = statement(`${IN_USE} ORDER BY alg`);
const MISSING = statement(
  `SELECT app, alg
   FROM (SELECT DISTINCT app, coalesce(${OF_CLIENT}, ${OF_APPLICATION}) AS alg FROM clients JOIN applications ON code = app) AS used
   WHERE NOT EXISTS (SELECT 1 FROM signing_keys AS keys
                     WHERE keys.app = used.app AND keys.alg = used.alg AND retired_at IS NULL)`,
);
const NEWEST_KEY = statement(
  'SELECT kid FROM signing_keys WHERE app = $1 AND alg = $2 AND retired_at IS NULL ORDER BY sign_from DESC LIMIT 1',
);
const COLUMNS = 'app, kid, alg, public_jwk, sealed_private_key, created_at, sign_from, has_signed';
const ADD_KEY = statement(`INSERT INTO signing_keys (${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`);
const ADD_FIRST_KEY = statement(
  `INSERT INTO signing_keys (${COLUMNS}) SELECT $1::text, $2, $3::text, $4, $5::bytea, $6::bigint, $7::bigint, $8::boolean
   WHERE NOT EXISTS (SELECT 1 FROM signing_keys WHERE app = $1 AND alg = $3 AND retired_at IS NULL)`,
);
const RETIRE = statement(
  `UPDATE signing_keys SET retired_at = $2 WHERE app = $1 AND retired_at IS NULL AND alg NOT IN (${IN_USE}) RETURNING 1`,
);
const NOTE_SIGNED = statement(
  `UPDATE signing_keys SET has_signed = true WHERE app = $1 AND kid = $2 AND NOT has_signed
   RETURNING alg NOT IN (${IN_USE}) AS unused`,
);
const DROP_KEYS = statement('DELETE FROM signing_keys WHERE app = $1 AND kid = ANY ($2::text[])');

export function signingKeys(db: Database): SigningKeys {
  return {
    signingKeys: async app => (await db.read(KEYS, [app])).map(toKey),
    signingAlgs: async app => (await db.read(ALGS, [app])).map(({ alg }) => alg as SigningAlg),
    missingKeys: async () => (await db.read(MISSING)).map(({ app, alg }) => ({ app, alg }) as MissingKey),
    addSigningKey: (key, after) =>
      db.transaction(async run => {
        await run(TURN);
        const [newest] = await run(NEWEST_KEY, [key.app, key.alg]);
        if (newest?.kid !== after) return;
        await run(ADD_KEY, valuesOf(key));
        await run(GROW);
      }),
    noteKeySigned: (app, kid) =>
      db.transaction(async run => {
        await run(TURN);
        const [noted] = await run(NOTE_SIGNED, [app, kid]);
        if (noted?.unused) await run(GROW);
      }),
    retireUnusedKeys: (app, now) =>
      db.transaction(async run => {
        await run(TURN);
        if ((await run(RETIRE, [app, now])).length > 0) await run(GROW);
      }),
    dropSigningKeys: (app, kids, replacements = []) =>
      db.transaction(async run => {
        await run(TURN);
        await run(DROP_KEYS, [app, kids]);
        for (const key of replacements) await run(ADD_KEY, valuesOf(key));
        await run(GROW);
      }),
  };
}

/** For an apply file, in whose transaction nobody else changes the registry: the first key of an algorithm, unless another was faster. */
export function addFirstKey(run: Run, key: SealedKey): Promise<unknown> {
  return run(ADD_FIRST_KEY, valuesOf(key));
}

function valuesOf({ app, kid, alg, publicJwk, sealedPrivateKey, createdAt, signFrom, hasSigned }: SealedKey) {
  return [app, kid, alg, publicJwk, sealedPrivateKey, createdAt, signFrom, hasSigned];
}
