import type { GenerateKeyPair, KeyPair } from '../../platform/crypto/key-pair.ts';
import type { KeyAlg } from './algorithms.rules.ts';

/** Enough for the applications that are first used while a server makes the keys that an apply file has left to it. */
const MAX_SPARE_KEYS = 8;

/**
 * RSA key pairs that belong to no application yet, so that a request at an application without a key does not wait for one. The
 * stock is filled only while applications are waiting for their keys (`pendingKeys` of the store).
 */
export class SpareKeys {
  readonly #generate: GenerateKeyPair;
  readonly #ready: KeyPair[] = [];
  #isFilling = false;

  constructor(generate: GenerateKeyPair) {
    this.#generate = generate;
  }

  has(alg: KeyAlg): boolean {
    return alg === 'RS256' && this.#ready.length > 0;
  }

  /** A spare key pair at once, or a new one. The other algorithms take no time. */
  async take(alg: KeyAlg): Promise<KeyPair> {
    return (alg === 'RS256' ? this.#ready.pop() : undefined) ?? this.#generate(alg);
  }

  /** One at a time: passwords and signatures need the threads as well. */
  async fill(): Promise<void> {
    if (this.#isFilling) return;
    this.#isFilling = true;
    try {
      while (this.#ready.length < MAX_SPARE_KEYS) this.#ready.push(await this.#generate('RS256'));
    } finally {
      this.#isFilling = false;
    }
  }
}
