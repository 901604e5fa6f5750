import type { Act } from '../../audit/acts/store.ts';
import type { Event } from '../../audit/events/rules.ts';

/**
 * The second factors of users, among their credentials: at most one key for one-time passwords (`totp`, encrypted) and the hashes of
 * the recovery codes that are left (`recovery`). Passkeys, which are second factors too: people/passkey/store.ts.
 */
export interface SecondFactors {
  /**
   * Counts an attempt of this sign-in before its code is compared, so that of parallel attempts, on any number of nodes, at most
   * `limit` are compared. `exhausted`: nothing was read.
   */
  attemptSecondFactor(attempt: FactorAttempt): Promise<AttemptedUser | 'exhausted'>;
  /** Accepts the time step of a code once: false if this step or a later one was accepted before, or the key was replaced. */
  acceptTotpStep(sub: string, use: TotpUse, now: number): Promise<boolean>;
  /** Spends a recovery code. Returns how many are left; undefined: it is none of them, or was spent before. */
  spendRecoveryCode(
    sub: string,
    hash: string,
    now: number,
    event?: (left: number) => Event,
  ): Promise<number | undefined>;
  secondFactorsOf(sub: string): Promise<HeldFactors>;
  /**
   * Adds a key that was confirmed by the code of a time step, with recovery codes where the user has none. Undefined: the user
   * has a key already, or does not exist.
   */
  addTotp(sub: string, totp: NewTotp, now: number, act?: Act): Promise<AddedTotp | undefined>;
  /** Replaces all recovery codes. False: the user has no second factor that they could stand in for. */
  replaceRecoveryCodes(sub: string, hashes: readonly string[], now: number, act?: Act): Promise<boolean>;
  /** Keys that none of these server secrets has encrypted, by the ids that keys begin with. For a job and for commands. */
  totpKeysOfOtherSecrets(secretIds: readonly string[], limit: number): Promise<StoredTotpKey[]>;
  /** Stores another encryption of the same key. False: the stored one is not `from` any more, and stays. */
  replaceTotpKey(sub: string, from: string, to: string): Promise<boolean>;
  /**
   * Removes the key, and the recovery codes where no passkey is left. `required`: it is the last second factor, and an operator or an
   * application that the user uses requires one; nothing was removed. `unknown`: there is none.
   */
  removeTotp(sub: string, now: number, act?: Act): Promise<FactorRemoval>;
}

export type FactorRemoval = 'removed' | 'required' | 'unknown';

export interface FactorAttempt {
  /** The id of the pending request. */
  readonly signIn: string;
  readonly sub: string;
  readonly limit: number;
  /** When the sign-in has ended and the count can be deleted. */
  readonly expiresAt: number;
}

export interface AttemptedUser extends HeldFactors {
  readonly passwordHash: string | undefined;
}

export interface HeldFactors {
  readonly totp: HeldTotp | undefined;
  readonly hasPasskey: boolean;
  readonly recoveryCodesLeft: number;
}

export interface HeldTotp {
  /** Encrypted, in hexadecimal. */
  readonly sealedKey: string;
  readonly lastStep: number | undefined;
  readonly createdAt: number;
  readonly lastUsedAt: number | undefined;
}

export interface StoredTotpKey {
  readonly sub: string;
  /** Encrypted, in hexadecimal. */
  readonly sealedKey: string;
}

export interface TotpUse {
  /** The key that the code was compared with. */
  readonly sealedKey: string;
  readonly step: number;
}

export interface NewTotp extends TotpUse {
  readonly recoveryHashes: readonly string[];
}

export interface AddedTotp {
  /** False: the codes that the user has stay, and the new ones were not stored. */
  readonly withRecoveryCodes: boolean;
}
