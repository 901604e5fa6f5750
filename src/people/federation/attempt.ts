import type { Request } from '../../platform/http/message.ts';
import { isFirstUse } from '../../platform/single-use/first-use.ts';
import type { Services } from '../../services.ts';
import { type Pending, WAITING_SECONDS } from '../sign-in/pending-request.ts';
import type { Progress } from '../sign-in/progress.ts';
import type { Kept } from './connector.ts';

/**
 * An attempt to sign in with a provider waits in a cookie of the browser that was sent there: sealed, with the sign-in that it belongs to,
 * so that the server stores nothing for it. The provider gets its id alone, as `state`: with an id that this browser has no cookie of, an
 * answer is somebody else's (RFC 6749 section 10.12, RFC 9700 section 4.7).
 */
export interface Attempt {
  readonly provider: string;
  readonly kept: Kept;
}

/** What the answer is for. An attempt for one is never taken as one for the other. */
export interface Purposes {
  /** A sign-in of this browser. */
  readonly provider: Attempt & { readonly signIn: Pending<Progress> };
  /** A trial of an operator, which opens nothing (trial.ts). */
  readonly 'provider trial': Attempt & { readonly operator: string; readonly session: string };
}
type AttemptPurpose = keyof Purposes;

/** So many attempts can wait in one browser, in as many tabs; the oldest makes room. */
const SLOTS = ['a', 'b', 'c'] as const;
/** Browsers keep cookies of up to 4096 bytes, with their names and attributes. */
const PIECE_LENGTH = 3600;
const PIECES = [1, 2] as const;

export interface BegunAttempt<Content extends Attempt> {
  /** The `state`. */
  readonly id: string;
  /** The cookies to set. Undefined: the request is too large to wait in them. */
  keep(attempt: Content): string[] | undefined;
}

/** The browser has the cookie that sealed requests are bound to: it was on a page of this sign-in. */
export function beginAttempt<Purpose extends AttemptPurpose>(
  { pending, cookies }: Services,
  request: Request,
  purpose: Purpose,
): BegunAttempt<Purposes[Purpose]> | undefined {
  const { sealed } = pending.begin(request, purpose, {}, WAITING_SECONDS);
  const begun = pending.open<Attempt>(request, sealed, purpose);
  if (!begun) return undefined;
  return {
    id: begun.id,
    keep(attempt) {
      const text = pending.seal({ ...begun, content: attempt });
      if (text.length > PIECE_LENGTH * PIECES.length) return undefined;
      const free = SLOTS.find(slot => cookies.read(request, nameOf(slot, 1)) === undefined) ?? SLOTS[0];
      return PIECES.map((number, index) => {
        const piece = text.slice(index * PIECE_LENGTH, (index + 1) * PIECE_LENGTH);
        const name = nameOf(free, number);
        return piece === '' ? cookies.erase(name) : cookies.write(name, piece, WAITING_SECONDS);
      });
    },
  };
}

export type TakenAttempt<Content extends Attempt> =
  | { readonly kind: 'taken'; readonly attempt: Content; readonly cookies: readonly string[] }
  /** `unknown`: this browser has no such attempt, or it is over. `replayed`: it has had its answer. */
  | { readonly kind: 'unknown' | 'otherProvider' | 'replayed' };

/** The attempt that an answer belongs to, once on any node. */
export async function takeAttempt<Purpose extends AttemptPurpose>(
  services: Services,
  request: Request,
  purpose: Purpose,
  provider: string,
  state: string | undefined,
): Promise<TakenAttempt<Purposes[Purpose]>> {
  const found = findAttempt(services, request, purpose, state);
  if (!found) return { kind: 'unknown' };
  const { waiting, slot } = found;
  if (waiting.content.provider !== provider) return { kind: 'otherProvider' };
  const usedAt = { time: waiting.expiresAt, within: 60 };
  if (!(await isFirstUse(services, 'provider answer', [waiting.id], usedAt))) return { kind: 'replayed' };
  const { cookies } = services;
  return {
    kind: 'taken',
    attempt: waiting.content,
    cookies: PIECES.map(number => cookies.erase(nameOf(slot, number))),
  };
}

/** Whether the answer with this `state` is that of a trial: the console takes it. */
export function isTrial(services: Services, request: Request, state: string | undefined): boolean {
  return findAttempt(services, request, 'provider trial', state) !== undefined;
}

function findAttempt<Purpose extends AttemptPurpose>(
  { pending, cookies }: Services,
  request: Request,
  purpose: Purpose,
  state: string | undefined,
) {
  for (const slot of SLOTS) {
    const text = PIECES.map(number => cookies.read(request, nameOf(slot, number)) ?? '').join('');
    const waiting = pending.open<Purposes[Purpose]>(request, text, purpose);
    if (waiting && waiting.id === state) return { waiting, slot };
  }
  return undefined;
}

function nameOf(slot: (typeof SLOTS)[number], piece: (typeof PIECES)[number]): string {
  return `gatehouse_provider_${slot}${piece}`;
}
