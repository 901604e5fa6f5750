import { actOfPersonOnce, recordAct } from '../../audit/acts/queries.ts';
import { optional, optionalNumber, type Row, words } from '../../platform/store/row.ts';
import { BYTEWISE, FOR_UPDATE, type Query, sql } from '../../platform/store/sql.ts';
import { type ColdDatabase, rowsOf, runAll, type Steps } from '../../platform/store/steps.ts';
import { endUndos } from '../email/undo-records.queries.ts';
import { distrustBrowsers } from '../trusted-browsers/queries.ts';
import { mustKeepFactor } from './required.queries.ts';
import type { HeldFactors, SecondFactors } from './store.ts';

export function coldSecondFactors(db: ColdDatabase): SecondFactors {
  return {
    attemptSecondFactor: ({ signIn, sub, limit, expiresAt }) =>
      db.transaction(function* () {
        const counted = yield* rowsOf(
          sql`INSERT INTO second_factor_attempts (sign_in, attempts, expires_at) VALUES (${signIn}, 1, ${expiresAt})
            ON CONFLICT (sign_in) DO UPDATE SET attempts = second_factor_attempts.attempts + 1
            WHERE second_factor_attempts.attempts < ${limit} RETURNING attempts`,
        );
        if (counted.length === 0) return 'exhausted';
        const rows = yield* rowsOf(selectCredentials(sub));
        return { ...toHeldFactors(rows), passwordHash: optional(byId(rows, 'password')?.data ?? null) };
      }),
    acceptTotpStep: async (sub, { sealedKey, step }, now) => {
      const accepted = sql`UPDATE credentials SET last_step = ${step}, last_used_at = ${now}
        WHERE sub = ${sub} AND id = 'totp' AND data = ${sealedKey} AND (last_step IS NULL OR last_step < ${step}) RETURNING 1`;
      return (await db.write(accepted)).length === 1;
    },
    spendRecoveryCode: (sub, hash, now, event) =>
      actOfPersonOnce(db, {
        lock: () => lockUser(sub),
        *work() {
          const [row] = yield* rowsOf(sql`SELECT data FROM credentials WHERE sub = ${sub} AND id = 'recovery'`);
          const hashes = row ? words(row.data) : [];
          if (!hashes.includes(hash)) return { result: undefined, act: undefined };
          const left = hashes.filter(each => each !== hash);
          yield* rowsOf(
            sql`UPDATE credentials SET data = ${left.join(' ')}, last_used_at = ${now} WHERE sub = ${sub} AND id = 'recovery'`,
          );
          return { result: left.length, act: event && { event: event(left.length) } };
        },
      }),
    secondFactorsOf: async sub => toHeldFactors(await db.read(selectCredentials(sub))),
    addTotp: (sub, { sealedKey, step, recoveryHashes }, now, act) =>
      actOfPersonOnce(db, {
        lock: () => lockUser(sub),
        *work(exists) {
          const added = exists ? yield* rowsOf(insertTotp(sub, sealedKey, step, now)) : [];
          if (added.length === 0) return { result: undefined, act: undefined };
          const codes = yield* rowsOf(sql`${insertRecovery(sub, recoveryHashes, now, sql`DO NOTHING`)} RETURNING 1`);
          yield* rowsOf(endUndos(sub));
          return { result: { withRecoveryCodes: codes.length > 0 }, act };
        },
      }),
    replaceRecoveryCodes: (sub, hashes, now, act) =>
      actOfPersonOnce(db, {
        lock: () => lockUser(sub),
        *work() {
          if ((yield* rowsOf(SELECT_RECOVERABLE(sub))).length === 0) return { result: false, act: undefined };
          const replace = sql`DO UPDATE SET data = excluded.data, created_at = excluded.created_at, last_used_at = NULL`;
          yield* runAll([insertRecovery(sub, hashes, now, replace), distrustBrowsers(sub), endUndos(sub)]);
          return { result: true, act };
        },
      }),
    totpKeysOfOtherSecrets: async (secretIds, limit) => {
      const keys = sql`SELECT sub, data FROM credentials WHERE kind = 'totp' AND ${besides(secretIds)}
        ORDER BY substr(data, 1, 8), sub LIMIT ${limit}`;
      return (await db.read(keys)).map(({ sub, data }) => ({ sub: sub as string, sealedKey: data as string }));
    },
    replaceTotpKey: async (sub, from, to) => {
      const replaced = sql`UPDATE credentials SET data = ${to} WHERE sub = ${sub} AND id = 'totp' AND data = ${from} RETURNING 1`;
      return (await db.write(replaced)).length === 1;
    },
    removeTotp: (sub, now, act) =>
      db.transaction(function* () {
        yield* lockUser(sub);
        if ((yield* rowsOf(SELECT_TOTP(sub))).length === 0) return 'unknown';
        if (yield* mustKeepFactor(sub, 'totp', now)) return 'required';
        yield* runAll(removeFactor(sub, 'totp'));
        if (act) yield* recordAct(act);
        return 'removed';
      }),
  };
}

/** As ranges between the ids, so that the index is not read from end to end (`totp_keys_by_secret`). */
function besides(secretIds: readonly string[]): Query {
  const secret = sql`substr(data, 1, 8) ${BYTEWISE}`;
  const [first = '', ...others] = secretIds.toSorted();
  let ranges = sql`${secret} < ${first}`;
  let last = first;
  for (const id of others) {
    ranges = sql`${ranges} OR (${secret} > ${last} AND ${secret} < ${id})`;
    last = id;
  }
  return sql`(${ranges} OR ${secret} > ${last})`;
}

/** Locks the user first, as every change of a user does: otherwise two changes could deadlock. False: there is no such user. */
export function* lockUser(sub: string): Steps<boolean> {
  return (yield* rowsOf(sql`SELECT sub FROM users WHERE sub = ${sub} ${FOR_UPDATE}`)).length === 1;
}

const SELECT_TOTP = (sub: string): Query => sql`SELECT 1 FROM credentials WHERE sub = ${sub} AND id = 'totp'`;
/** What recovery codes can stand in for. */
const SELECT_RECOVERABLE = (sub: string): Query =>
  sql`SELECT 1 FROM credentials WHERE sub = ${sub} AND kind IN ('totp', 'passkey')`;

function selectCredentials(sub: string): Query {
  return sql`SELECT id, kind, data, created_at, last_used_at, last_step FROM credentials
    WHERE sub = ${sub} AND kind IN ('password', 'totp', 'recovery', 'passkey')`;
}

function insertTotp(sub: string, sealedKey: string, step: number | null, now: number): Query {
  return sql`INSERT INTO credentials (sub, id, kind, data, created_at, last_step)
    VALUES (${sub}, 'totp', 'totp', ${sealedKey}, ${now}, ${step}) ON CONFLICT (sub, id) DO NOTHING RETURNING 1`;
}

export function insertRecovery(sub: string, hashes: readonly string[], now: number, onConflict: Query): Query {
  return sql`INSERT INTO credentials (sub, id, kind, data, created_at)
    VALUES (${sub}, 'recovery', 'recovery', ${hashes.join(' ')}, ${now}) ON CONFLICT (sub, id) ${onConflict}`;
}

/** A key of an apply file: it replaces the present one. */
export function writeTotp(sub: string, sealedKey: string, now: number): Query {
  return sql`INSERT INTO credentials (sub, id, kind, data, created_at) VALUES (${sub}, 'totp', 'totp', ${sealedKey}, ${now})
    ON CONFLICT (sub, id) DO UPDATE SET data = excluded.data, created_at = excluded.created_at, last_used_at = NULL, last_step = NULL`;
}

/**
 * Not the password. A browser that was trusted for the factor is trusted no more; which factor that was is not known, so none is. The
 * transaction has locked the row of the user.
 */
export function removeFactor(sub: string, id: string): Query[] {
  return [
    sql`DELETE FROM credentials WHERE sub = ${sub} AND id = ${id}`,
    removeIdleRecovery(sub),
    distrustBrowsers(sub),
    endUndos(sub),
  ];
}

/** Recovery codes stand in for a lost second factor. Without one, they would be a second factor that the user does not know of. */
export function removeIdleRecovery(sub: string): Query {
  return sql`DELETE FROM credentials WHERE sub = ${sub} AND id = 'recovery' AND NOT EXISTS (${SELECT_RECOVERABLE(sub)})`;
}

function byId(rows: readonly Row[], id: string): Row | undefined {
  return rows.find(row => row.id === id);
}

function toHeldFactors(rows: readonly Row[]): HeldFactors {
  const totp = byId(rows, 'totp');
  const recovery = byId(rows, 'recovery');
  return {
    totp: totp && {
      sealedKey: totp.data as string,
      lastStep: optionalNumber(totp.last_step),
      createdAt: Number(totp.created_at),
      lastUsedAt: optionalNumber(totp.last_used_at),
    },
    hasPasskey: rows.some(({ kind }) => kind === 'passkey'),
    recoveryCodesLeft: recovery ? words(recovery.data).length : 0,
  };
}
