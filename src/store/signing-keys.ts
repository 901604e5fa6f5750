import type { SigningAlg } from '../protocol/client.ts';

export interface SigningKeys {
  /** In the order in which they sign. */
  signingKeys(app: string): Promise<SealedKey[]>;
  /** What its clients sign with (`signingAlgOf`), and its default. */
  signingAlgs(app: string): Promise<SigningAlg[]>;
  /** What a client of any application signs with although there is no key for it, retired ones not counted. */
  missingKeys(): Promise<MissingKey[]>;
  /** Adds the key if `after` is the newest of its algorithm (undefined: there is none that has not retired); else another was faster. */
  addSigningKey(key: SealedKey, after: string | undefined): Promise<void>;
  /** Once for each key, before its first signature is given away. Everybody reads the keys again if its algorithm is not in use. */
  noteKeySigned(app: string, kid: string): Promise<void>;
  /** Marks the keys of every algorithm that is not among `signingAlgs` at the moment of the write. */
  retireUnusedKeys(app: string, now: number): Promise<void>;
  /** The keys go, and in the same write the others take their place. */
  dropSigningKeys(app: string, kids: readonly string[], replacements?: readonly SealedKey[]): Promise<void>;
}

export interface SealedKey {
  readonly app: string;
  readonly kid: string;
  readonly alg: SigningAlg;
  readonly publicJwk: string;
  readonly sealedPrivateKey: Uint8Array;
  readonly createdAt: number;
  readonly signFrom: number;
  readonly retiredAt: number | undefined;
  readonly hasSigned: boolean;
}

export interface MissingKey {
  readonly app: string;
  readonly alg: SigningAlg;
}
