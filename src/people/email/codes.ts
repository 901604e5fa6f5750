import type { Request } from '../../platform/http/message.ts';
import type { Deps } from '../../services.ts';
import { type CodeCounting, countCode } from '../second-factor/code-attempt.ts';
import { ATTEMPTS_KEPT_SECONDS } from '../sign-in/pending-request.ts';
import { type Confirmation, isEmailCode, mailTokenHash, openConfirmation } from './confirmation.ts';
import type { WaitingEmail } from './store.ts';

/** Wrong codes for one sign-in or change, counted in the store across parallel requests and nodes. */
const MAX_ATTEMPTS = 5;

interface Services extends Pick<Deps, 'store' | 'clock'> {
  readonly ring: Parameters<typeof openConfirmation>[0];
}

/** An address whose code or link was presented. */
export interface Presented {
  readonly waiting: WaitingEmail;
  readonly confirmation: Confirmation;
}

/** Where no code was sent, because the address belongs to somebody else, every code is wrong, as often and in the same time. */
export async function checkEmailCode(
  { store, clock, ring }: Services,
  id: string,
  typed: string,
): Promise<Presented | 'wrong' | 'exhausted'> {
  const now = clock.now();
  const attempt = { id, limit: MAX_ATTEMPTS, expiresAt: now + ATTEMPTS_KEPT_SECONDS };
  const waiting = await store.attemptEmailCode(attempt, now);
  if (waiting === 'exhausted') return waiting;
  const confirmation = waiting && openConfirmation(ring, waiting);
  const isRight = isEmailCode(typed, confirmation?.code ?? '');
  return waiting && confirmation && isRight ? { waiting, confirmation } : 'wrong';
}

/** The same for a user who is known: the code counts for the day too, over all sign-ins and changes of this user. */
export async function checkEmailCodeOf(
  services: Services & CodeCounting,
  request: Request,
  sub: string,
  { id, typed }: { readonly id: string; readonly typed: string },
): Promise<Presented | 'wrong' | 'exhausted' | { readonly wait: number }> {
  const counted = await countCode(services, request, sub, 'email');
  if (counted.kind === 'refused') return { wait: counted.wait };
  const presented = await checkEmailCode(services, id, typed);
  if (typeof presented === 'object') await counted.succeeded();
  return presented;
}

/** The address that a link confirms. Undefined: the link was used or replaced, or is too old. */
export function findByLink(services: Services, token: string): Promise<Presented | undefined> {
  return findByTokenHash(services, mailTokenHash(token));
}

export async function findByTokenHash(
  { store, clock, ring }: Services,
  tokenHash: Uint8Array,
): Promise<Presented | undefined> {
  const waiting = await store.findEmailConfirmation(tokenHash, clock.now());
  const confirmation = waiting && openConfirmation(ring, waiting);
  return waiting && confirmation && { waiting, confirmation };
}
