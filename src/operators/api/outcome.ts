import type { BodyFault } from '../../platform/http/message.ts';

/** The outcome of an operation. The API and the command line each give a problem their own form. */
export type Outcome<T> = Done<T> | Problem;

export interface Done<T> {
  readonly kind: 'done';
  readonly value: T;
}

export type Problem =
  /** `what`: such as "client". Also for an object of an application that the caller has no access to. */
  | { readonly kind: 'unknown'; readonly what: string }
  | { readonly kind: 'conflict'; readonly detail: string }
  /** If-Match named another state of the object. */
  | { readonly kind: 'changed' }
  | { readonly kind: 'invalid'; readonly errors: readonly BodyFault[] }
  /** A request with the same Idempotency-Key was answered while this one ran. */
  | { readonly kind: 'alreadyAnswered' };

export function done<T>(value: T): Done<T> {
  return { kind: 'done', value };
}

export function unknown(what: string): Problem {
  return { kind: 'unknown', what };
}

export function conflict(detail: string): Problem {
  return { kind: 'conflict', detail };
}

export function invalid(pointer: string, detail: string): Problem {
  return { kind: 'invalid', errors: [{ pointer, detail }] };
}
