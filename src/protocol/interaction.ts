import type { AuthRequest } from './auth-request.ts';
import { scopesOfClaims } from './claims-request.ts';
import { type Failure, failure } from './errors.ts';
import { isNative } from './redirect-uri.ts';
import type { Scope } from './scope.ts';

/** What the browser brought along: who is signed in, since when, and by which pending request that happened. */
export interface PresentSession {
  readonly sub: string;
  readonly authTime: number;
  /** The pending request whose login page opened this session. */
  readonly openedBy: string;
}

/** What happened on our own pages since the request came in. */
export interface Progress {
  readonly pendingId: string;
  readonly cancelled: boolean;
  /** Who chose to go on as themselves. */
  readonly chosenBy: string | undefined;
  /** Who agreed to the scopes. */
  readonly consentedBy: string | undefined;
}

export interface Situation {
  readonly session: PresentSession | undefined;
  /** The user that id_token_hint or the parameter claims insists on. */
  readonly demandedSub: string | undefined;
  /** What this user has agreed to before, for this client. */
  readonly consented: readonly Scope[];
  readonly progress: Progress | undefined;
  readonly now: number;
}

export type Interaction =
  | { readonly kind: 'proceed' }
  | { readonly kind: 'login' | 'select' | 'consent' }
  | { readonly kind: 'refuse'; readonly failure: Failure };

type Asked = Pick<AuthRequest, 'prompt' | 'maxAge' | 'scope' | 'claims' | 'redirectUri'> & {
  readonly client: Pick<AuthRequest['client'], 'require_consent' | 'token_endpoint_auth_method'>;
};

/** OIDC Core section 3.1.2.3 and 3.1.2.4: which page must come first, may the request go on, or is it refused? */
export function decideInteraction(asked: Asked, situation: Situation): Interaction {
  const { session, demandedSub, progress } = situation;
  if (progress?.cancelled) return { kind: 'refuse', failure: failure('userCancelled') };
  const silent = asked.prompt.includes('none');

  const rightUser = demandedSub === undefined || session?.sub === demandedSub;
  const justOpened = session !== undefined && session.openedBy === progress?.pendingId;
  // Somebody signed in for this request, and it is not who the client insists on: asking again would not help.
  if (justOpened && !rightUser) return { kind: 'refuse', failure: failure('loginRequired') };
  if (!session || !rightUser || (!justOpened && isStale(asked, session, situation.now))) {
    return silent ? { kind: 'refuse', failure: failure('loginRequired') } : { kind: 'login' };
  }
  const chosen = justOpened || progress?.chosenBy === session.sub;
  if (asked.prompt.includes('select_account') && !chosen) return { kind: 'select' };

  if (needsConsent(asked, situation, session.sub)) {
    return silent ? { kind: 'refuse', failure: failure('consentRequired') } : { kind: 'consent' };
  }
  return { kind: 'proceed' };
}

/** A session opened for this very request is never stale, not even for `max_age=0`. */
function isStale(asked: Asked, session: PresentSession, now: number): boolean {
  if (asked.prompt.includes('login')) return true;
  return asked.maxAge !== undefined && (asked.maxAge === 0 || now - session.authTime > asked.maxAge);
}

/**
 * `prompt=consent` wants a yes to this very request. `require_consent`, and a native client that another program could
 * imitate (row 27), want one that is remembered and was not withdrawn; `offline_access` adds no question to it.
 */
function needsConsent(asked: Asked, { consented, progress }: Situation, sub: string): boolean {
  if (asked.prompt.includes('consent') && progress?.consentedBy !== sub) return true;
  if (!asked.client.require_consent && !isNative(asked.client, asked.redirectUri)) return false;
  if (consented.length === 0) return true;
  const wanted = [...asked.scope, ...scopesOfClaims(asked.claims)];
  return wanted.some(scope => scope !== 'offline_access' && !consented.includes(scope));
}
