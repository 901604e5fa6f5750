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
  readonly signIn: Pending<Progress>;
  readonly kept: Kept;
}

/** So many attempts can wait in one browser, in as many tabs; the oldest makes room. */
const SLOTS = ['a', 'b', 'c'] as const;
/** Browsers keep cookies of up to 4096 bytes, with their names and attributes. */
const PIECE_LENGTH = 3600;
const PIECES = [1, 2] as const;

type Waiting = Pending<Attempt>;

export interface BegunAttempt {
  /** The `state`. */
  readonly id: string;
  /** The cookies to set. Undefined: the request is too large to wait in them. */
  keep(attempt: Attempt): string[] | undefined;
}

/** The browser has the cookie that sealed requests are bound to: it was on a page of this sign-in. */
export function beginAttempt({ pending, cookies }: Services, request: Request): BegunAttempt | undefined {
  const { sealed } = pending.begin(request, 'provider', {}, WAITING_SECONDS);
  const begun = pending.open<Attempt>(request, sealed, 'provider');
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

export type TakenAttempt =
  | { readonly kind: 'taken'; readonly attempt: Attempt; readonly cookies: readonly string[] }
  /** `unknown`: this browser has no such attempt, or it is over. `replayed`: it has had its answer. */
  | { readonly kind: 'unknown' | 'otherProvider' | 'replayed' };

/** The attempt that an answer belongs to, once on any node. */
export async function takeAttempt(
  services: Services,
  request: Request,
  provider: string,
  state: string | undefined,
): Promise<TakenAttempt> {
  const found = state === undefined ? undefined : findAttempt(services, request, state);
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

function findAttempt({ pending, cookies }: Services, request: Request, state: string) {
  for (const slot of SLOTS) {
    const text = PIECES.map(number => cookies.read(request, nameOf(slot, number)) ?? '').join('');
    const waiting: Waiting | undefined = pending.open<Attempt>(request, text, 'provider');
    if (waiting?.id === state) return { waiting, slot };
  }
  return undefined;
}

function nameOf(slot: (typeof SLOTS)[number], piece: (typeof PIECES)[number]): string {
  return `gatehouse_provider_${slot}${piece}`;
}
