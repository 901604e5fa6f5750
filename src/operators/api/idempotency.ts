import { createHash, timingSafeEqual } from 'node:crypto';
import type { NewAnswer } from '../../audit/acts/store.ts';
import { header, type Reply, type Request } from '../../platform/http/message.ts';
import type { Services } from '../../services.ts';
import type { Caller } from './caller.ts';
import type { Operation } from './operation.ts';

const RETENTION_SECONDS = 86_400;
const MAX_KEY_LENGTH = 255;

/** A POST that the caller may repeat: the Idempotency-Key of the request, and what makes it the same request. */
export interface Repeatable {
  readonly caller: string;
  readonly key: string;
  readonly requestHash: Buffer;
}

export function repeatableOf(caller: Caller, request: Request, path: string): Repeatable | 'malformed' | undefined {
  const key = header(request, 'idempotency-key');
  if (request.method !== 'POST' || key === undefined) return undefined;
  if (key.length > MAX_KEY_LENGTH || !/^[\x21-\x7e]+$/.test(key)) return 'malformed';
  const requestHash = createHash('sha256').update(`${path}\0${request.query}\0${request.body}`).digest();
  return { caller: callerKey(caller), key, requestHash };
}

/** Keys of different callers have nothing to do with each other. */
export function callerKey({ actor }: Caller): string {
  return `${actor.kind}:${actor.id ?? ''}`;
}

/**
 * Part of the request where the answer depends on the applications that the caller sees: with another limit it is another request.
 * What the other operations show is decided by the rights, which are checked before a stored answer is looked up.
 */
export function sightOf({ reach }: Pick<Operation, 'reach'>, { applications }: Caller): string {
  return reach === 'filtered' && applications ? ` in ${JSON.stringify([...applications].sort())}` : '';
}

/** The answer for a repetition of the request. It is encrypted, because it may hold a secret that is shown once. */
export function answerToStore({ ring, clock }: Services, repeatable: Repeatable, reply: Reply): NewAnswer {
  const { status, headers, body } = reply;
  const plain = Buffer.from(JSON.stringify({ status, headers, body: String(body) }));
  return {
    ...repeatable,
    sealedAnswer: ring.seal('answer', plain, contextOf(repeatable)),
    expiresAt: clock.now() + RETENTION_SECONDS,
  };
}

/** `other`: the key was used for another request. */
export async function storedAnswer(
  { store, ring, clock }: Services,
  repeatable: Repeatable,
): Promise<Reply | 'other' | undefined> {
  const stored = await store.findAnswer(repeatable.caller, repeatable.key, clock.now());
  if (!stored) return undefined;
  if (!timingSafeEqual(stored.requestHash, repeatable.requestHash)) return 'other';
  const plain = ring.open('answer', stored.sealedAnswer, contextOf(repeatable));
  return plain ? JSON.parse(plain.toString()) : undefined;
}

function contextOf({ caller, key }: Repeatable): string {
  return `${caller}\0${key}`;
}
