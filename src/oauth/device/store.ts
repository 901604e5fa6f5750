import type { RequestedClaims } from '../authorize/claims-request.rules.ts';
import type { PolledState } from '../polled-grant/rules.ts';
import type { DecideOutcome, Decision, Poll, Redeem } from '../polled-grant/store.ts';
import type { Scope } from '../token/scope.rules.ts';

/** Devices that wait for a person (RFC 8628). Their codes are stored as hashes. */
export interface DeviceAuthorizations {
  /** False: the user code is in use, so another one is needed. */
  addDeviceAuthorization(app: string, device: NewDeviceAuthorization): Promise<boolean>;
  /** The device of a user code, until it expires. */
  findDevice(userCodeHashes: readonly string[], now: number): Promise<DeviceAuthorization | undefined>;
  /** Exactly one of any number of calls decides. The consent and the events are written with it. */
  decideDevice(userCodeHashes: readonly string[], decision: Decision, now: number): Promise<DecideOutcome>;
  readonly pollDevice: Poll;
  readonly redeemDevice: Redeem;
}

interface Requested {
  readonly clientId: string;
  readonly scope: readonly Scope[];
  /** The identifiers of the APIs that it asks for (RFC 8707). Undefined: none. */
  readonly resources: readonly string[] | undefined;
  /** With its authorization details (RFC 9396). */
  readonly claims: RequestedClaims;
  /** Of the device: the person who approves is told. */
  readonly address: string;
  readonly createdAt: number;
}

export interface NewDeviceAuthorization extends Requested {
  readonly deviceHash: Uint8Array;
  readonly userCodeHash: string;
  readonly interval: number;
  readonly expiresAt: number;
}

export interface DeviceAuthorization extends Requested {
  readonly app: string;
  readonly state: PolledState;
  /** Who approved it. */
  readonly sub: string | undefined;
}
