import type { NewMail } from '../../notify/mail/store.ts';
import type { Event } from '../events/rules.ts';

/** What is written in the transaction of an act of a person or an operator. */
export interface Act {
  readonly event: Event;
  /** Tells the user of the act. */
  readonly mail?: NewMail | undefined;
  /** For a request of an operator that is repeated. */
  readonly answer?: NewAnswer | undefined;
}

/** The answer to a request with an Idempotency-Key. It may hold a secret that is shown once, so it is encrypted. */
export interface NewAnswer {
  readonly caller: string;
  readonly key: string;
  readonly requestHash: Uint8Array;
  readonly sealedAnswer: Uint8Array;
  readonly expiresAt: number;
}

/** A request with the same key has been answered meanwhile: nothing was written. */
export interface AlreadyAnswered {
  readonly kind: 'alreadyAnswered';
}

/**
 * The outcome of a decision that is made inside a transaction, on the current value: nothing is written without `write`. It may be
 * called more than once, so it has no effect of its own.
 */
export interface Change<Write, Result> {
  readonly result: Result;
  readonly write?: { readonly value: Write; readonly act: Act };
}

export interface IdempotentAnswers {
  findAnswer(
    caller: string,
    key: string,
    now: number,
  ): Promise<Pick<NewAnswer, 'requestHash' | 'sealedAnswer'> | undefined>;
  /** Of a request that has written no act. False: one with the same key was answered meanwhile. */
  keepAnswer(answer: NewAnswer, now: number): Promise<boolean>;
}
