import type { Event } from '../../audit/events/rules.ts';
import type { Profile } from '../../directory/users/claims.rules.ts';
import type { NewMail } from '../../notify/mail/store.ts';
import type { Scope } from '../../oauth/token/scope.rules.ts';
import type { IssueOutcome } from '../../oauth/token/store.ts';

export interface NewSession {
  readonly idHash: Uint8Array;
  /** The public name of the session in ID tokens (OIDC Back-Channel Logout section 2.1). */
  readonly sid: string;
  readonly sub: string;
  readonly authTime: number;
  readonly amr: readonly string[];
  /** The pending request whose login page opened it; a second session for the same one is refused. */
  readonly openedByRequest: string;
  /** The stored hash with which the password was compared; undefined: the user signed in without a password. */
  readonly passwordHash: string | undefined;
  /** The ids of the passkeys that the user proved to have: if one was removed meanwhile, no session is opened. */
  readonly passkeys?: readonly string[] | undefined;
  readonly idleExpiresAt: number;
  readonly expiresAt: number;
  /** Where the user signs in from, for the page of the user's sessions; bounded. */
  readonly userAgent: string | undefined;
  readonly address: string;
  /** The session that this browser had before: it ends when the new one is opened. */
  readonly replaces: Uint8Array | undefined;
  /** The user proved only what the replaced session lacked: the new one is opened only if that is live and of the same user. */
  readonly stepsUp?: boolean | undefined;
  /** Queued if the session is opened. */
  readonly mail?: NewMail | undefined;
}

/**
 * How many sessions a user has at most: the oldest end when one more is opened. More than the browsers of a person, or of a room in
 * which all use one account; and so few that all of them end within the time of a request.
 */
export const MAX_SESSIONS_OF_USER = 500;

/** A session that has ended, for its event. */
export interface EndedSession {
  readonly sub: string;
  readonly sid: string;
}

/** The events of a login, written in its transaction. Each is made when it is known what happened, perhaps more than once. */
export interface LoginEvents {
  /** Not called if the user was disabled, got another password or lost the passkey meanwhile. */
  succeeded(sid: string): Event;
  /** The browser had a session of another user. */
  replaced(former: EndedSession): Event;
  /** The user has MAX_SESSIONS_OF_USER without it. */
  outnumbered(oldest: EndedSession): Event;
}

/** The client whose remembered consent is read with the session. */
export interface ConsentKey {
  readonly app: string;
  readonly clientId: string;
}

export interface ListedSession {
  readonly sid: string;
  readonly authTime: number;
  readonly idleExpiresAt: number;
  readonly expiresAt: number;
  /** Of the last sign-in. Undefined: not known. */
  readonly userAgent: string | undefined;
  readonly address: string | undefined;
  /** When the browser first signed in as this user: a session that replaces another one of the same user keeps it. */
  readonly startedAt: number;
}

export interface LiveSession {
  readonly sid: string;
  readonly authTime: number;
  readonly amr: readonly string[];
  readonly openedByRequest: string;
  readonly hasTotp: boolean;
  readonly hasPasskey: boolean;
  readonly hasPassword: boolean;
  /** The user must have a second factor, whatever the application says. */
  readonly requiresMfa: boolean;
  readonly user: Profile;
  /** The scopes that the user agreed to for the client of ConsentKey. */
  readonly consented: readonly Scope[];
}

/** `ended`: there is no session to step up any more; nothing was opened. */
export type SessionOutcome = 'opened' | 'replayed' | 'ended';

export interface Sessions {
  /**
   * If the same user signs in again, the new session keeps the `sid`, so that the user stays signed in at the clients. A session of
   * another user ends as by `endSession`, and so do the oldest of the user beyond MAX_SESSIONS_OF_USER. Where sessions are spread over
   * several servers, one login in a few counts them: there may be some more for a time.
   */
  openSession(session: NewSession, now: number, events?: LoginEvents): Promise<SessionOutcome>;
  /** Undefined when unknown, ended, idle for too long, or of a disabled user. Prolongs the idle time. */
  useSession(
    idHash: Uint8Array,
    now: number,
    idleExpiresAt: number,
    consentOf?: ConsentKey,
  ): Promise<LiveSession | undefined>;
  sessionsOf(sub: string, now: number): Promise<ListedSession[]>;
  /** Ends the session and the grants that came from it, and queues a notice to every client that took part in it. */
  endSession(which: SessionKey, now: number, event?: (ended: EndedSession) => Event): Promise<void>;
  /**
   * Ends the session as `endSession`, for its user who is in another browser. Whoever was signed in there may have asked for another e-mail
   * address: one that waits for its confirmation ends too, also if the session has ended before.
   */
  endSessionElsewhere(sub: string, sid: string, now: number, event?: (ended: EndedSession) => Event): Promise<void>;
  /** Ends every session of the user but this one, each as `endSession` does, and the undo of a changed address. Returns how many. */
  endOtherSessions(sub: string, keptSid: string, now: number, event?: (ended: EndedSession) => Event): Promise<number>;
  /**
   * Ends every session of the user as `endSession` does, every code and grant, also those without a session, the trust in
   * browsers, and the undo of a changed e-mail address.
   */
  endUserAccess(sub: string, now: number, event?: (sessions: number) => Event): Promise<void>;
  /** A client took part in the session although it got no code or token (an ID token alone). */
  noteSessionClient(app: string, clientId: string, sid: string): Promise<IssueOutcome>;
}

export type SessionKey = { readonly idHash: Uint8Array } | { readonly sub: string; readonly sid: string };
