import type { AuthRequest } from './auth-request.ts';
import { type Failure, failure } from './errors.ts';

/** What the browser brought along: who is signed in, since when, and by which pending request that happened. */
export interface PresentSession {
  readonly authTime: number;
  /** The pending request whose login page opened this session. */
  readonly openedBy: string;
}

/** What happened on our own pages since the request came in. */
export interface Progress {
  readonly pendingId: string;
  readonly cancelled: boolean;
}

export type Interaction =
  | { readonly kind: 'proceed' }
  | { readonly kind: 'login' }
  | { readonly kind: 'refuse'; readonly failure: Failure };

/** OIDC Core section 3.1.2.3: must this person be asked to sign in, may the request go on, or is it refused? */
export function decideInteraction(
  request: Pick<AuthRequest, 'prompt' | 'maxAge'>,
  session: PresentSession | undefined,
  progress: Progress | undefined,
  now: number,
): Interaction {
  if (progress?.cancelled) return { kind: 'refuse', failure: failure('userCancelled') };
  if (session && isFresh(request, session, progress, now)) return { kind: 'proceed' };
  return request.prompt.includes('none') ? { kind: 'refuse', failure: failure('loginRequired') } : { kind: 'login' };
}

/** A session opened for this very request satisfies every demand for a new login, also `max_age=0`. */
function isFresh(
  request: Pick<AuthRequest, 'prompt' | 'maxAge'>,
  session: PresentSession,
  progress: Progress | undefined,
  now: number,
): boolean {
  if (progress && session.openedBy === progress.pendingId) return true;
  if (request.prompt.includes('login') || request.prompt.includes('select_account')) return false;
  return request.maxAge === undefined || (request.maxAge > 0 && now - session.authTime <= request.maxAge);
}
