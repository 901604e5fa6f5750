import { generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import type { KeyAlg } from '../../oauth/signing-keys/algorithms.rules.ts';

export interface KeyPair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

/** A dependency, so that tests can replace it: generating an RSA key takes 54 ms of processor time on average (10 to 190 ms). */
export type GenerateKeyPair = (alg: KeyAlg) => Promise<KeyPair>;

const generate = promisify(generateKeyPair);

/** Runs on the thread pool and does not block the event loop. */
export const generateSystemKeyPair: GenerateKeyPair = alg => {
  if (alg === 'EdDSA') return generate('ed25519');
  return alg.startsWith('RS') ? generate('rsa', { modulusLength: 2048 }) : generate('ec', { namedCurve: 'P-256' });
};
