import { recordAct, unlessAnswered } from '../../audit/acts/queries.ts';
import { recordEvent } from '../../audit/events/queries.ts';
import { among, BYTEWISE, perStore, type Query, sql } from '../../platform/store/sql.ts';
import { type ColdDatabase, rowsOf, runAll, type Steps } from '../../platform/store/steps.ts';
import { DEFAULT_SIGNING_ALG, type KeyAlg } from './algorithms.rules.ts';
import { toKey } from './rows.store.ts';
import type { MissingKey, SealedKey, SigningKeys, Successor } from './store.ts';

/** The columns hold JSON as text. */
const AS_JSON = perStore('', '::json');
/** The same rule as `keyAlgsOf` (directory/clients/rules.ts). An application of an earlier release has no default. */
const OF_APPLICATION = sql`coalesce(settings${AS_JSON} ->> 'id_token_signed_response_alg', ${DEFAULT_SIGNING_ALG})`;
const OF_ID_TOKENS = sql`metadata${AS_JSON} ->> 'id_token_signed_response_alg'`;
/** What else it has a key for, where a client has asked for it. */
const OF_OTHERS = [
  sql`metadata${AS_JSON} ->> 'userinfo_signed_response_alg'`,
  sql`metadata${AS_JSON} ->> 'authorization_signed_response_alg'`,
  sql`metadata${AS_JSON} ->> 'introspection_signed_response_alg'`,
  // It opens the requests that a client encrypts.
  sql`metadata${AS_JSON} ->> 'request_object_encryption_alg'`,
];

function algsInUse(app: string): Query {
  return union([
    sql`SELECT ${OF_APPLICATION} AS alg FROM applications WHERE code = ${app}`,
    ...[OF_ID_TOKENS, ...OF_OTHERS].map(
      alg => sql`SELECT ${alg} FROM clients WHERE app = ${app} AND ${alg} IS NOT NULL`,
    ),
  ]);
}

function union(queries: readonly Query[]): Query {
  return queries.reduce((all, each) => sql`${all} UNION ${each}`);
}

export function coldSigningKeys(db: ColdDatabase): SigningKeys {
  const { lockRegistry, registryChanged } = db.own;
  const add = (successors: readonly Successor[]) =>
    db.transaction(function* () {
      yield* lockRegistry();
      // None where another process has added a key since.
      for (const { key, after } of successors) if ((yield* newestKey(key))?.kid !== after) return undefined;
      yield* runAll(successors.map(({ key }) => insertKey(key)));
      for (const { act } of successors) if (act) yield* recordAct(act);
      yield* registryChanged();
      return undefined;
    });
  return {
    signingKeys: async app => {
      const keys = sql`SELECT app, kid, alg, public_jwk, sealed_private_key, created_at, sign_from, retired_at, has_signed
        FROM signing_keys WHERE app = ${app} ORDER BY sign_from, kid`;
      return (await db.read(keys)).map(toKey);
    },
    keyAlgs: async app => (await db.read(sql`${algsInUse(app)} ORDER BY alg`)).map(({ alg }) => alg as KeyAlg),
    missingKeys: async () => {
      const used = (alg: Query) => sql`SELECT app, ${alg} AS alg FROM clients JOIN applications ON code = app
        WHERE NOT keys_pending AND ${alg} IS NOT NULL`;
      const all = union([sql`coalesce(${OF_ID_TOKENS}, ${OF_APPLICATION})`, ...OF_OTHERS].map(used));
      const missing = sql`SELECT app, alg FROM (${all}) AS used
        WHERE NOT EXISTS (
          SELECT 1 FROM signing_keys AS keys WHERE keys.app = used.app AND keys.alg = used.alg AND retired_at IS NULL)`;
      return (await db.read(missing)).map(({ app, alg }) => ({ app, alg }) as MissingKey);
    },
    pendingKeys: async limit => {
      const pending = sql`SELECT code FROM applications WHERE keys_pending AND deleted_at IS NULL
        ORDER BY code ${BYTEWISE} LIMIT ${limit}`;
      return (await db.read(pending)).map(({ code }) => code as string);
    },
    addPendingKeys: (apps, keys) =>
      db.transaction(function* () {
        yield* lockRegistry();
        yield* runAll(keys.map(insertFirstKey));
        yield* runAll(apps.map(unmarkPendingKeys));
        yield* registryChanged();
      }),
    addSigningKey: async (key, after, act) => void (await add([{ key, after, act }])),
    addSuccessors: successors => unlessAnswered(add(successors)),
    noteKeySigned: (app, kid) =>
      db.transaction(function* () {
        yield* lockRegistry();
        const [noted] = yield* rowsOf(
          sql`UPDATE signing_keys SET has_signed = true WHERE app = ${app} AND kid = ${kid} AND NOT has_signed
            RETURNING alg NOT IN (${algsInUse(app)}) AS unused`,
        );
        if (noted?.unused) yield* registryChanged();
      }),
    retireUnusedKeys: (app, now) =>
      db.transaction(function* () {
        yield* lockRegistry();
        const retired = yield* rowsOf(
          sql`UPDATE signing_keys SET retired_at = ${now}
            WHERE app = ${app} AND retired_at IS NULL AND alg NOT IN (${algsInUse(app)}) RETURNING 1`,
        );
        if (retired.length > 0) yield* registryChanged();
      }),
    dropSigningKeys: (app, kids, replacements = [], events = []) =>
      db.transaction(function* () {
        yield* lockRegistry();
        yield* rowsOf(sql`DELETE FROM signing_keys WHERE app = ${app} AND kid ${among(kids)}`);
        yield* runAll(replacements.map(insertKey));
        yield* runAll(events.map(recordEvent));
        yield* registryChanged();
      }),
  };
}

/** Adds the key unless the application has one of its algorithm. For a transaction that has locked the registry. */
export function* addFirstKey(key: SealedKey): Steps<void> {
  yield* rowsOf(insertFirstKey(key));
}

function* newestKey({ app, alg }: SealedKey) {
  const [newest] = yield* rowsOf(
    sql`SELECT kid FROM signing_keys WHERE app = ${app} AND alg = ${alg} AND retired_at IS NULL
      ORDER BY sign_from DESC LIMIT 1`,
  );
  return newest;
}

function insertKey(key: SealedKey): Query {
  return insertKeyWhere(key, sql`true`);
}

/** As `addFirstKey`, as one query: thousands of keys can be sent without waiting for each. */
export function insertFirstKey(key: SealedKey): Query {
  return insertKeyWhere(
    key,
    sql`NOT EXISTS (SELECT 1 FROM signing_keys WHERE app = ${key.app} AND alg = ${key.alg} AND retired_at IS NULL)`,
  );
}

export function markPendingKeys(app: string): Query {
  return sql`UPDATE applications SET keys_pending = true WHERE code = ${app}`;
}

/** Another algorithm may have come into use since the keys were made: then the application stays marked. */
function unmarkPendingKeys(app: string): Query {
  return sql`UPDATE applications SET keys_pending = false WHERE code = ${app} AND NOT EXISTS (
    SELECT 1 FROM (${algsInUse(app)}) AS used WHERE NOT EXISTS (
      SELECT 1 FROM signing_keys AS keys WHERE keys.app = ${app} AND keys.alg = used.alg AND retired_at IS NULL))`;
}

function insertKeyWhere(key: SealedKey, condition: Query): Query {
  const { app, kid, alg, publicJwk, sealedPrivateKey, createdAt, signFrom, hasSigned } = key;
  return sql`INSERT INTO signing_keys (app, kid, alg, public_jwk, sealed_private_key, created_at, sign_from, has_signed)
    SELECT ${app}, ${kid}, ${alg}, ${publicJwk}, ${sealedPrivateKey}, ${createdAt}, ${signFrom}, ${hasSigned}
    WHERE ${condition} ON CONFLICT (app, kid) DO NOTHING`;
}
