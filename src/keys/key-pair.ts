import { generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import type { SigningAlg } from '../protocol/client.ts';

export interface KeyPair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

/** Where key pairs come from: handed in, since an RSA key takes 50 to 500 ms of a core and tests need many. */
export type GenerateKeyPair = (alg: SigningAlg) => Promise<KeyPair>;

const generate = promisify(generateKeyPair);

/** On another thread: the event loop goes on meanwhile. */
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
