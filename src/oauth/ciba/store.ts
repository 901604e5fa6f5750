import type { Event } from '../../audit/events/rules.ts';
import type { NewMail } from '../../notify/mail/store.ts';
import type { RequestedAcr } from '../../people/sign-in/acr.rules.ts';
import type { RequestedClaims } from '../authorize/claims-request.rules.ts';
import type { PolledState } from '../polled-grant/rules.ts';
import type { DecideOutcome, Decision, Poll, Redeem } from '../polled-grant/store.ts';
import type { Scope } from '../token/scope.rules.ts';
import type { Reach } from './rules.ts';

/** Requests of clients that wait for a person (CIBA). Their auth_req_id is stored as a hash. */
export interface BackchannelRequests {
  /**
   * `judgeReach` decides, with what has reached the person in the last hour, on all nodes together. The events and the mail are written
   * with the request; the mail only where `judgeReach` says so.
   */
  openBackchannelRequest(app: string, request: NewBackchannelRequest): Promise<Reach>;
  /** A request to this person, also one that is decided or over. */
  findBackchannelRequest(id: string, sub: string): Promise<BackchannelRequest | undefined>;
  /** What waits for this person, the newest first. */
  backchannelRequestsOf(sub: string, now: number): Promise<BackchannelRequest[]>;
  /** Exactly one of any number of calls decides. The consent and the events are written with it. */
  decideBackchannelRequest(id: string, sub: string, decision: Decision, now: number): Promise<DecideOutcome>;
  readonly pollBackchannelRequest: Poll;
}

/** What a token request needs. */
export interface BackchannelTokens {
  readonly redeemBackchannelRequest: Redeem;
}

interface Asked {
  /** Of the page on which the person decides. */
  readonly id: string;
  readonly clientId: string;
  /** Who is asked. */
  readonly sub: string;
  readonly scope: readonly Scope[];
  /** The identifiers of the APIs that it asks for (RFC 8707). Undefined: none. */
  readonly resources: readonly string[] | undefined;
  /** With its authorization details (RFC 9396). */
  readonly claims: RequestedClaims;
  readonly acr: RequestedAcr | undefined;
  /** In the words of the client. */
  readonly bindingMessage: string | undefined;
  readonly createdAt: number;
  readonly expiresAt: number;
}

export interface NewBackchannelRequest extends Asked {
  readonly requestHash: Uint8Array;
  readonly interval: number;
  readonly events: readonly Event[];
  readonly mail: NewMail | undefined;
}

export interface BackchannelRequest extends Asked {
  readonly app: string;
  readonly state: PolledState;
}
