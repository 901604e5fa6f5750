import type { Act, AlreadyAnswered } from '../../audit/acts/store.ts';
import type { Event } from '../../audit/events/rules.ts';
import type { KeyAlg } from './algorithms.rules.ts';

/** A key, and the newest one of its algorithm when it was made. */
export interface Successor {
  readonly key: SealedKey;
  readonly after: string | undefined;
  readonly act?: Act | undefined;
}

export interface SigningKeys {
  /** In the order in which they sign. */
  signingKeys(app: string): Promise<SealedKey[]>;
  /** The algorithms of its clients (`keyAlgsOf`), and its default. */
  keyAlgs(app: string): Promise<KeyAlg[]>;
  /**
   * The algorithms, of all applications, that a client uses and that have no key, not counting retired ones. Without those of
   * `pendingKeys`, which may be thousands.
   */
  missingKeys(): Promise<MissingKey[]>;
  /** Some of the applications that an apply file has left without a key of each algorithm that they use. */
  pendingKeys(limit: number): Promise<string[]>;
  /** Adds each key where there is none of its algorithm. An application that has all it uses is not pending any more. */
  addPendingKeys(apps: readonly string[], keys: readonly SealedKey[]): Promise<void>;
  /**
   * Adds the key if `after` is the newest of its algorithm (undefined: there is none, not counting retired ones). Otherwise
   * another process has added one.
   */
  addSigningKey(key: SealedKey, after: string | undefined, act?: Act): Promise<void>;
  /** Adds the keys of one rotation, as `addSigningKey` each, all of them or none. */
  addSuccessors(successors: readonly Successor[]): Promise<AlreadyAnswered | undefined>;
  /**
   * Called once for each key, before its first signature is sent. If its algorithm is not in use, every process reads the
   * keys again.
   */
  noteKeySigned(app: string, kid: string): Promise<void>;
  /** Marks the keys of every algorithm that is not among `keyAlgs` at the moment of the write. */
  retireUnusedKeys(app: string, now: number): Promise<void>;
  /** Deletes the keys, adds their replacements and records the events in the same write. */
  dropSigningKeys(
    app: string,
    kids: readonly string[],
    replacements?: readonly SealedKey[],
    events?: readonly Event[],
  ): Promise<void>;
}

export interface SealedKey {
  readonly app: string;
  readonly kid: string;
  readonly alg: KeyAlg;
  readonly publicJwk: string;
  readonly sealedPrivateKey: Uint8Array;
  readonly createdAt: number;
  readonly signFrom: number;
  readonly retiredAt: number | undefined;
  readonly hasSigned: boolean;
}

export interface MissingKey {
  readonly app: string;
  readonly alg: KeyAlg;
}
