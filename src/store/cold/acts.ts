import { RolledBack } from '../faults.ts';
import type { Act, AlreadyAnswered, IdempotentAnswers } from '../idempotent-answers.ts';
import { recordEvent } from './events.ts';
import { sql } from './sql.ts';
import { type ColdDatabase, rowsOf, type Steps } from './steps.ts';

/** Rolls back the transaction; `unlessAnswered` turns it into an outcome. */
class AnsweredMeanwhile extends RolledBack {
  constructor() {
    super('a request with the same Idempotency-Key was answered meanwhile');
  }
}

export async function unlessAnswered<T>(transaction: Promise<T>): Promise<T | AlreadyAnswered> {
  try {
    return await transaction;
  } catch (error) {
    if (error instanceof AnsweredMeanwhile) return { kind: 'alreadyAnswered' };
    throw error;
  }
}

export function* recordAct({ event, answer }: Act): Steps<void> {
  yield* rowsOf(recordEvent(event));
  if (!answer) return;
  const { caller, key, requestHash, sealedAnswer, expiresAt } = answer;
  const kept = yield* rowsOf(sql`INSERT INTO idempotent_answers (caller, key, request_hash, sealed_answer, expires_at)
    VALUES (${caller}, ${key}, ${requestHash}, ${sealedAnswer}, ${expiresAt})
    ON CONFLICT (caller, key) DO UPDATE
      SET request_hash = excluded.request_hash, sealed_answer = excluded.sealed_answer, expires_at = excluded.expires_at
      WHERE idempotent_answers.expires_at <= ${event.time}
    RETURNING 1`);
  if (kept.length === 0) throw new AnsweredMeanwhile();
}

export function coldIdempotentAnswers(db: ColdDatabase): IdempotentAnswers {
  return {
    findAnswer: async (caller, key, now, receivedAt) => {
      const found = sql`SELECT request_hash, sealed_answer FROM idempotent_answers
        WHERE caller = ${caller} AND key = ${key} AND expires_at > ${now}`;
      const [row] = await db.read(found, receivedAt);
      return row && { requestHash: row.request_hash as Uint8Array, sealedAnswer: row.sealed_answer as Uint8Array };
    },
  };
}
