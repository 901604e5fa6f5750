import { actOfPersonOnce, recordAct } from '../../audit/acts/queries.ts';
import { optionalNumber } from '../../platform/store/row.ts';
import { among, BYTEWISE, type Query, sql } from '../../platform/store/sql.ts';
import { type ColdDatabase, rowsOf, runAll, type Steps } from '../../platform/store/steps.ts';
import { endUndos } from '../email/undo-records.queries.ts';
import { hasOtherWay } from '../linking/ways-in.queries.ts';
import { insertRecovery, lockUser, removeFactor } from '../second-factor/queries.ts';
import { mustKeepFactor } from '../second-factor/required.queries.ts';
import { insertPasskey, keyText, PASSKEY_COLUMNS, toHeldPasskey } from './records.queries.ts';
import type {
  HeldPasskey,
  NewPasskey,
  PasskeyAddOutcome,
  Passkeys,
  PasskeyUse,
  PasskeyUseOutcome,
  SpentChallenge,
} from './store.ts';

export function coldPasskeys(db: ColdDatabase): Passkeys {
  return {
    passkeysOf: async sub => {
      const held = sql`SELECT ${PASSKEY_COLUMNS} FROM credentials c WHERE sub = ${sub} AND kind = 'passkey'
        ORDER BY created_at, id ${BYTEWISE}`;
      return (await db.read(held)).map(toHeldPasskey);
    },
    passkeysOfUsers: async subs => {
      const held = new Map<string, HeldPasskey[]>();
      const rows = await db.read(sql`SELECT ${PASSKEY_COLUMNS}, c.sub FROM credentials c
        WHERE c.sub ${among(subs)} AND c.kind = 'passkey' ORDER BY c.id ${BYTEWISE}`);
      for (const row of rows) {
        const sub = row.sub as string;
        held.set(sub, [...(held.get(sub) ?? []), toHeldPasskey(row)]);
      }
      return held;
    },
    findPasskey: async id => {
      const owned = sql`SELECT ${PASSKEY_COLUMNS}, u.sub, u.disabled, u.require_mfa, u.email, u.email_verified,
          (SELECT d.due_at FROM account_deletions d WHERE d.sub = u.sub) AS deletion_due,
          EXISTS (SELECT 1 FROM credentials t WHERE t.sub = c.sub AND t.id = 'totp') AS has_totp,
          EXISTS (SELECT 1 FROM credentials p WHERE p.sub = c.sub AND p.id = 'password') AS has_password
        FROM credentials c JOIN users u ON u.sub = c.sub WHERE c.kind = 'passkey' AND c.id = ${id}`;
      const [row] = await db.read(owned);
      return (
        row && {
          sub: row.sub as string,
          disabled: Boolean(row.disabled),
          deletionDue: optionalNumber(row.deletion_due),
          hasEmail: row.email !== null,
          hasVerifiedEmail: row.email !== null && Boolean(row.email_verified),
          passkey: toHeldPasskey(row),
          hasTotp: Boolean(row.has_totp),
          hasPassword: Boolean(row.has_password),
          requiresMfa: Boolean(row.require_mfa),
        }
      );
    },
    usePasskey: (use, now, event) =>
      actOfPersonOnce(db, {
        // The row of the challenge is the lock: of two transactions that spend it, the second one waits for the first.
        lock: () => spendChallenge(use),
        *work(isFirst) {
          const result: PasskeyUseOutcome = isFirst ? yield* raiseCounter(use, now) : 'replayed';
          return { result, act: event && result === 'used' ? { event } : undefined };
        },
      }),
    addPasskey: (sub, passkey, now, act) =>
      actOfPersonOnce(db, {
        lock: () => lockUser(sub),
        *work(exists) {
          const result: PasskeyAddOutcome = exists ? yield* addPasskey(sub, passkey, now) : { kind: 'noUser' };
          return { result, act: result.kind === 'added' ? act : undefined };
        },
      }),
    renamePasskey: async (sub, id, name) => {
      const renamed = sql`UPDATE credentials SET name = ${name} WHERE sub = ${sub} AND id = ${id} AND kind = 'passkey'
        RETURNING 1`;
      return (await db.write(renamed)).length === 1;
    },
    removePasskey: (sub, id, now, act) =>
      db.transaction(function* () {
        yield* lockUser(sub);
        if ((yield* rowsOf(selectOwn(sub, id))).length === 0) return 'unknown';
        if (yield* mustKeepFactor(sub, id, now)) return 'required';
        if (!(yield* hasOtherWay(sub, { credential: id }))) return 'lastWay';
        yield* runAll(removeFactor(sub, id));
        if (act) yield* recordAct(act);
        return 'removed';
      }),
  };
}

function* raiseCounter(use: PasskeyUse, now: number): Steps<PasskeyUseOutcome> {
  const { sub, id, signCount, isBackedUp, key } = use;
  // An authenticator without a counter always sends 0.
  const rises = signCount === 0 ? sql`sign_count = 0` : sql`sign_count < ${signCount}`;
  const used = yield* rowsOf(
    sql`UPDATE credentials SET sign_count = ${signCount}, backed_up = ${isBackedUp}, last_used_at = ${now},
        data = COALESCE(${key ? keyText(key) : null}, data)
      WHERE sub = ${sub} AND id = ${id} AND kind = 'passkey' AND ${rises} RETURNING 1`,
  );
  if (used.length > 0) return 'used';
  return (yield* rowsOf(selectOwn(sub, id))).length === 0 ? 'gone' : 'cloned';
}

/** The transaction has locked the row of the user. */
function* addPasskey(sub: string, passkey: NewPasskey, now: number): Steps<PasskeyAddOutcome> {
  if (!(yield* spendChallenge(passkey))) return { kind: 'replayed' };
  const held = yield* rowsOf(sql`SELECT 1 FROM credentials WHERE sub = ${sub} AND kind = 'passkey'`);
  if (held.length >= passkey.limit) return { kind: 'full' };
  const added = yield* rowsOf(sql`${insertPasskey(sub, passkey, now)} RETURNING 1`);
  if (added.length === 0) return { kind: 'taken' };
  const codes = yield* rowsOf(sql`${insertRecovery(sub, passkey.recoveryHashes, now, sql`DO NOTHING`)} RETURNING 1`);
  yield* rowsOf(endUndos(sub));
  return { kind: 'added', withRecoveryCodes: codes.length > 0 };
}

function selectOwn(sub: string, id: string): Query {
  return sql`SELECT 1 FROM credentials WHERE sub = ${sub} AND id = ${id} AND kind = 'passkey'`;
}

/** Beside the login forms that were used: a challenge belongs to such a form, and is kept as long. */
function* spendChallenge({ challenge, challengeExpiresAt }: SpentChallenge): Steps<boolean> {
  const spent = sql`INSERT INTO spent_logins (pending_id, expires_at) VALUES (${`passkey ${challenge}`}, ${challengeExpiresAt})
    ON CONFLICT DO NOTHING RETURNING 1`;
  return (yield* rowsOf(spent)).length === 1;
}
