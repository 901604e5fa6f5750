import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Act, NewAnswer } from '../../audit/acts/store.ts';
import { newEvent } from '../../audit/events/new-event.ts';
import type { Event } from '../../audit/events/rules.ts';
import type { Fields } from '../../directory/fields/sum.fields.ts';
import type { NewMail } from '../../notify/mail/store.ts';
import type { Services, Tables } from '../../services.ts';
import type { Role } from '../roles/store.ts';
import type { Caller, Origin } from './caller.ts';
import { noBody, noParams, noQuery } from './input.ts';
import type { Outcome } from './outcome.ts';

/**
 * An operation on one kind of object: what it takes, what it returns, which role it needs. The HTTP API, the command line and the
 * console call `run` and add nothing; the OpenAPI document comes from the schemas.
 */
export interface Operation<Params = unknown, Query = unknown, Body = unknown, Result = unknown> {
  readonly summary: string;
  readonly role: Role;
  /**
   * What a caller that is limited to applications sees. `application`: the parameter {code} must be one of them. `filtered`: the
   * operation shows only what belongs to them. `deployment`: nothing, it answers as if there were no such object.
   */
  readonly reach: 'application' | 'filtered' | 'deployment';
  readonly params: z.ZodType<Params>;
  readonly query: FieldSchema<Query>;
  readonly body: FieldSchema<Body>;
  /** Of a change (PATCH): the fields that it may name. They are checked after they were merged with the object. */
  readonly changes?: FieldSchema<unknown>;
  readonly result: FieldSchema<Result>;
  /** 201 with an object that was made, 204 without a body. */
  readonly status: 200 | 201 | 204;
  /** A body that works, for the reference. */
  readonly example?: unknown;
  run(context: OperationContext, input: { params: Params; query: Query; body: Body }): Promise<Outcome<Result>>;
}

/** A schema, or one that is made of the settings, or types of events, that capabilities declare. */
export type FieldSchema<T> = z.ZodType<T> | ((fields: Fields) => z.ZodType<T>);

export function schemaOf<T>(schema: FieldSchema<T>, fields: Fields): z.ZodType<T> {
  return typeof schema === 'function' ? schema(fields) : schema;
}

/** The same where most operations need no fields: they are loaded for those that do. */
export async function loadSchema<T>(schema: FieldSchema<T>, { fields }: Pick<Tables, 'fields'>): Promise<z.ZodType<T>> {
  return typeof schema === 'function' ? schema(await fields()) : schema;
}

export interface OperationContext {
  readonly services: Services;
  readonly caller: Caller;
  readonly origin: Origin;
  /** The If-Match header. */
  readonly ifMatch: string | undefined;
  /** Only for a request with an Idempotency-Key: makes the answer that a repetition of it gets. */
  readonly answerFor?: ((result: unknown) => NewAnswer) | undefined;
}

type Defaulted = 'params' | 'query' | 'body' | 'result' | 'status';
type Definition<P, Q, B, R> = Omit<Operation<P, Q, B, R>, Defaulted> & Partial<Pick<Operation<P, Q, B, R>, Defaulted>>;

/**
 * Lets TypeScript infer the types of an operation from its schemas. What it does not name it does not take; without a result it answers
 * 204, with one 200.
 */
export function operation<P = object, Q = object, B = undefined, R = undefined>(
  definition: Definition<P, Q, B, R>,
): Operation<P, Q, B, R> {
  const status = definition.result ? 200 : 204;
  return { ...NOTHING, status, ...definition } as Operation<P, Q, B, R>;
}

const NOTHING = { params: noParams, query: noQuery, body: noBody, result: z.undefined() };

type ActEvent = Pick<Event, 'type' | 'subject' | 'app' | 'clientId' | 'details'>;

/**
 * What is written with the act: its event, the mail that tells its user, and the answer if the request may be repeated. `result`: what
 * the operation returns.
 */
export function actOf(context: OperationContext, event: ActEvent, result?: unknown, mail?: NewMail): Act {
  const { requestId, address, userAgent } = context.origin;
  return {
    event: newEvent(context.services, {
      ...event,
      outcome: 'success',
      actor: context.caller.actor,
      requestId,
      address,
      userAgent,
    }),
    mail,
    answer: context.answerFor?.(result),
  };
}

const TAG_LENGTH = 27;

/** A strong validator (RFC 9110 section 8.8.3): two states of an object with the same fields have the same tag. */
export function etagOf(value: unknown): string {
  return `"${createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, TAG_LENGTH)}"`;
}

/** RFC 9110 section 13.1.1: whether If-Match names another state. */
export function isStale({ ifMatch }: OperationContext, current: unknown): boolean {
  if (ifMatch === undefined || ifMatch.trim() === '*') return false;
  return !ifMatch.split(',').some(tag => tag.trim() === etagOf(current));
}
