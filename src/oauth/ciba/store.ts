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
   * `judgeReach` decides, with what has reached the person in the last hour, on all nodes together. The event and the mail are written
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

/** Clients that are told when a person has decided (section 10.2). */
export interface Pings {
  /** Takes due pings for this caller alone: no other call returns them before `leaseUntil`. None for a client in `busy` (platform/jobs/sender.ts). */
  takePings(now: number, leaseUntil: number, limit: number, busy?: readonly string[]): Promise<Ping[]>;
  finishPing(id: string): Promise<void>;
  postponePing(id: string, dueAt: number): Promise<void>;
}

export interface Ping {
  /** Of the request. */
  readonly id: string;
  readonly app: string;
  readonly clientId: string;
  readonly sealed: Uint8Array;
  /** With the one that this lease is for. */
  readonly attempts: number;
  /** Nobody needs it any more then. */
  readonly expiresAt: number;
}

/** The codes that people have set against requests of strangers. */
export interface ApprovalCodes {
  approvalCodeOf(sub: string): Promise<ApprovalCode | undefined>;
  /** Instead of the one before. */
  setApprovalCode(sub: string, code: ApprovalCode, event: Event): Promise<void>;
  /** Without one, nothing is recorded. */
  removeApprovalCode(sub: string, event: Event): Promise<void>;
}

export interface ApprovalCode {
  /** An HMAC under a key of the server. */
  readonly hash: string;
  readonly setAt: number;
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
  readonly event: Event;
  readonly mail: NewMail | undefined;
  /** Sealed; it is due when the person has decided. Undefined: the client polls. */
  readonly ping: Uint8Array | undefined;
}

export interface BackchannelRequest extends Asked {
  readonly app: string;
  readonly state: PolledState;
}
