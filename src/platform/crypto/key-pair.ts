import { generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import type { SigningAlg } from '../../oauth/signing-keys/algorithms.rules.ts';

export interface KeyPair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

/** A dependency, so that tests can replace it: generating an RSA key takes 54 ms of processor time on average (10 to 190 ms). */
export type GenerateKeyPair = (alg: SigningAlg) => Promise<KeyPair>;

const generate = promisify(generateKeyPair);

/** Runs on the thread pool and does not block the event loop. */
export const generateSystemKeyPair: GenerateKeyPair = alg => {
  switch (alg) {
    case 'ES256':
      return generate('ec', { namedCurve: 'P-256' });
    case 'RS256':
      return generate('rsa', { modulusLength: 2048 });
    case 'EdDSA':
      return generate('ed25519');
  }
};
