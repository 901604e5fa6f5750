import type { Event } from '../../audit/events/rules.ts';
import type { Profile } from '../../directory/users/claims.rules.ts';
import type { GrantedApi } from '../token/granted-api.rules.ts';
import type { Scope } from '../token/scope.rules.ts';
import type { NewTokens, TokenFamily } from '../token/store.ts';
import type { DeviceState, PollVerdict } from './rules.ts';

/** Devices that wait for a person (RFC 8628). Their codes are stored as hashes. */
export interface DeviceAuthorizations {
  /** False: the user code is in use, so another one is needed. */
  addDeviceAuthorization(app: string, device: NewDeviceAuthorization): Promise<boolean>;
  /** The device of a user code, until it expires. */
  findDevice(userCodeHashes: readonly string[], now: number): Promise<DeviceAuthorization | undefined>;
  /** Exactly one of any number of calls decides. The consent and the events are written with it. */
  decideDevice(userCodeHashes: readonly string[], decision: DeviceDecision, now: number): Promise<DecideOutcome>;
  /** A poll of the device. A poll that comes too early raises the interval, on all nodes. */
  pollDevice(app: string, deviceHash: Uint8Array, clientId: string, now: number): Promise<PolledDevice>;
  /**
   * Exactly one of any number of calls returns `redeemed`; the token family and its tokens then exist. `gone`: another call was first, or
   * the access of the user ended meanwhile.
   */
  redeemDevice(
    app: string,
    deviceHash: Uint8Array,
    family: TokenFamily,
    tokens: NewTokens,
  ): Promise<'redeemed' | 'gone' | 'clientGone'>;
}

export interface NewDeviceAuthorization {
  readonly deviceHash: Uint8Array;
  readonly userCodeHash: string;
  readonly clientId: string;
  readonly scope: readonly Scope[];
  /** The identifiers of the APIs that it asks for (RFC 8707). Undefined: none. */
  readonly resources: readonly string[] | undefined;
  /** Of the device: the person who approves is told. */
  readonly address: string;
  readonly interval: number;
  readonly createdAt: number;
  readonly expiresAt: number;
}

export interface DeviceAuthorization {
  readonly app: string;
  readonly clientId: string;
  readonly scope: readonly Scope[];
  readonly resources: readonly string[] | undefined;
  readonly address: string;
  readonly createdAt: number;
  readonly state: DeviceState;
  /** Who approved it. */
  readonly sub: string | undefined;
}

export type DeviceDecision =
  | {
      readonly kind: 'approve';
      readonly sub: string;
      /** The session of the person. If it has ended meanwhile, nothing is approved. */
      readonly sid: string;
      readonly authTime: number;
      readonly amr: readonly string[];
      /** What the device gets: what it asked for, as far as the page has shown it. */
      readonly scope: readonly Scope[];
      readonly resources: readonly GrantedApi[] | undefined;
      /** What the person agreed to, as it is remembered (people/consent/rules.ts). */
      readonly consented: readonly string[];
      readonly events: readonly Event[];
    }
  | { readonly kind: 'deny'; readonly events: readonly Event[] };

/** `decided`: somebody has decided before, who approved if there is a `sub`. `signedOut`: the session of the person has ended. */
export type DecideOutcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'gone' }
  | { readonly kind: 'signedOut' }
  | { readonly kind: 'decided'; readonly state: Exclude<DeviceState, 'pending'>; readonly sub: string | undefined };

export type PolledDevice =
  | { readonly kind: 'unknown' }
  | { readonly kind: Exclude<PollVerdict, 'approved' | 'slowDown'> }
  /** `interval`: what it is from now on. */
  | { readonly kind: 'slowDown'; readonly interval: number }
  | { readonly kind: 'approved'; readonly family: TokenFamily; readonly user: Profile };
