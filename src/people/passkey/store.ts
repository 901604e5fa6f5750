import type { Act } from '../../audit/acts/store.ts';
import type { Event } from '../../audit/events/rules.ts';
import type { FactorRemoval } from '../second-factor/store.ts';

/**
 * The passkeys of users, among their credentials. Their ids (rules.ts) are unique over all users. A challenge counts once,
 * whoever answers it and on whichever node: `replayed`.
 */
export interface Passkeys {
  passkeysOf(sub: string): Promise<readonly HeldPasskey[]>;
  /** By user, in the order of their ids; users without one are left out. For `gatehouse export`. */
  passkeysOfUsers(subs: readonly string[]): Promise<ReadonlyMap<string, readonly HeldPasskey[]>>;
  findPasskey(id: string): Promise<PasskeyOwner | undefined>;
  /**
   * Accepts a verified assertion: spends its challenge, and raises the signature counter. `cloned`: the counter did not rise, so that a
   * copy of the key may exist (WebAuthn section 6.1.1). `gone`: the passkey was removed meanwhile.
   */
  usePasskey(use: PasskeyUse, now: number, event?: Event): Promise<PasskeyUseOutcome>;
  /** Adds recovery codes too, where the user has none. */
  addPasskey(sub: string, passkey: NewPasskey, now: number, act?: Act): Promise<PasskeyAddOutcome>;
  /** False: the user has no such passkey. */
  renamePasskey(sub: string, id: string, name: string): Promise<boolean>;
  /** Recovery codes go with the last second factor. The outcomes are those of `removeTotp`; `lastWay`: nothing else would let the user in. */
  removePasskey(sub: string, id: string, now: number, act?: Act): Promise<FactorRemoval | 'lastWay'>;
}

/** What does not change while the passkey exists. */
export interface PasskeyKey {
  readonly credentialId: string;
  /** A COSE key (RFC 9052 section 7), in base64url. */
  readonly publicKey: string;
  readonly transports: readonly string[];
  /** Whether the authenticator may synchronise it between devices. Undefined: it came from a system that did not know; its first use tells. */
  readonly isSyncable?: boolean | undefined;
  /** The one that its authenticator holds, in base64url. Undefined: that of passkeys that are made here (rules.ts). */
  readonly userHandle?: string | undefined;
}

/** A passkey as it moves between stores. */
export interface PasskeyRecord extends PasskeyKey {
  readonly id: string;
  readonly name: string;
  readonly signCount: number;
  readonly isBackedUp: boolean;
}

export interface HeldPasskey extends PasskeyRecord {
  readonly createdAt: number;
  readonly lastUsedAt: number | undefined;
}

export interface PasskeyOwner {
  readonly sub: string;
  readonly disabled: boolean;
  /** As of `Account`. */
  readonly deletionDue: number | undefined;
  readonly hasEmail: boolean;
  readonly hasVerifiedEmail: boolean;
  readonly passkey: HeldPasskey;
  readonly hasTotp: boolean;
  readonly hasPassword: boolean;
  readonly requiresMfa: boolean;
}

export interface SpentChallenge {
  readonly challenge: string;
  /** After its end nobody can answer it any more. */
  readonly challengeExpiresAt: number;
}

export interface PasskeyUse extends SpentChallenge {
  readonly sub: string;
  readonly id: string;
  readonly signCount: number;
  readonly isBackedUp: boolean;
  /** Where the use told more about the key than was known. */
  readonly key?: PasskeyKey | undefined;
}

export type PasskeyUseOutcome = 'used' | 'replayed' | 'cloned' | 'gone';

export interface NewPasskey extends PasskeyRecord, SpentChallenge {
  /** Passkeys that one user may have. */
  readonly limit: number;
  readonly recoveryHashes: readonly string[];
}

export type PasskeyAddOutcome =
  | { readonly kind: 'added'; readonly withRecoveryCodes: boolean }
  /** This or another user has a passkey of this id. */
  | { readonly kind: 'taken' | 'full' | 'replayed' | 'noUser' };

/** Of a change or an import of users. */
export interface PasskeyTaken {
  readonly kind: 'passkeyTaken';
  readonly id: string;
  /** The user who has it. */
  readonly username: string;
}
