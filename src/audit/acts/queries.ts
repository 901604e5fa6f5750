import { insertMail } from '../../notify/mail/queries.ts';
import { RolledBack } from '../../platform/store/faults.ts';
import { type Query, sql } from '../../platform/store/sql.ts';
import { type ColdDatabase, rowsOf, runAll, type Steps } from '../../platform/store/steps.ts';
import { recordEvent } from '../events/queries.ts';
import type { Act, AlreadyAnswered, IdempotentAnswers, NewAnswer } from './store.ts';

/** Rolls back the transaction; `unlessAnswered` turns it into an outcome. */
class AnsweredMeanwhile extends RolledBack {
  constructor() {
    super('a request with the same Idempotency-Key was answered meanwhile');
  }
}

/** What was decided, and what is recorded with it: nothing if nothing was written. */
interface Decided<T> {
  readonly result: T;
  readonly act: Act | undefined;
}

/** `lock` comes first and makes the transaction wait for every other one on the same object. `work` writes all but the act. */
export interface ActSteps<Locked, T> {
  lock(): Steps<Locked>;
  work(locked: Locked): Steps<Decided<T>>;
}

/**
 * The transaction of an act of a person or an operator. If the connection is lost between the commit and its answer, the transaction is run again:
 * it finds the event of its first attempt, and returns what that returned. Otherwise it would find the object changed, and refuse.
 */
export function actOnce<Locked, T>(db: ColdDatabase, steps: ActSteps<Locked, T>): Promise<T | AlreadyAnswered> {
  return unlessAnswered(actOfPersonOnce(db, steps));
}

/** As `actOnce`, for an act without an answer: nothing of a person is repeated by an Idempotency-Key. */
export function actOfPersonOnce<Locked, T>(db: ColdDatabase, { lock, work }: ActSteps<Locked, T>): Promise<T> {
  let attempted: { readonly act: Act; readonly result: T } | undefined;
  return db.transaction(function* () {
    // Locked first: the server may still be committing the first attempt.
    const locked = yield* lock();
    if (attempted && (yield* isRecorded(attempted.act))) return attempted.result;
    const { result, act } = yield* work(locked);
    if (act) yield* recordAct(act);
    attempted = act && { act, result };
    return result;
  });
}

function* isRecorded({ event }: Act): Steps<boolean> {
  return (yield* rowsOf(sql`SELECT 1 FROM events WHERE id = ${event.id}`)).length > 0;
}

export async function unlessAnswered<T>(transaction: Promise<T>): Promise<T | AlreadyAnswered> {
  try {
    return await transaction;
  } catch (error) {
    if (error instanceof AnsweredMeanwhile) return { kind: 'alreadyAnswered' };
    throw error;
  }
}

export function* recordAct({ event, mail, answer }: Act): Steps<void> {
  yield* runAll([recordEvent(event), ...(mail ? [insertMail(mail)] : [])]);
  if (answer && (yield* rowsOf(insertAnswer(answer, event.time))).length === 0) throw new AnsweredMeanwhile();
}

/** Returns a row unless there is an answer for the key that has not expired. */
function insertAnswer({ caller, key, requestHash, sealedAnswer, expiresAt }: NewAnswer, now: number): Query {
  return sql`INSERT INTO idempotent_answers (caller, key, request_hash, sealed_answer, expires_at)
    VALUES (${caller}, ${key}, ${requestHash}, ${sealedAnswer}, ${expiresAt})
    ON CONFLICT (caller, key) DO UPDATE
      SET request_hash = excluded.request_hash, sealed_answer = excluded.sealed_answer, expires_at = excluded.expires_at
      WHERE idempotent_answers.expires_at <= ${now}
    RETURNING 1`;
}

export function coldIdempotentAnswers(db: ColdDatabase): IdempotentAnswers {
  return {
    findAnswer: async (caller, key, now) => {
      const found = sql`SELECT request_hash, sealed_answer FROM idempotent_answers
        WHERE caller = ${caller} AND key = ${key} AND expires_at > ${now}`;
      const [row] = await db.read(found);
      return row && { requestHash: row.request_hash as Uint8Array, sealedAnswer: row.sealed_answer as Uint8Array };
    },
    keepAnswer: (answer, now) =>
      db.transaction(function* () {
        return (yield* rowsOf(insertAnswer(answer, now))).length > 0;
      }),
  };
}
