import { createPrivateKey, createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type GenerateKeyPair, generateSystemKeyPair, type KeyPair } from '../../src/platform/crypto/key-pair.ts';

/** The RSA keys of this process, in the order in which they are handed out: those of the run first, then its own. */
const rsa: Promise<KeyPair>[] = keysOfTheRun().map(pem => Promise.resolve(toKeyPair(pem)));

/** Those that scripts/test.ts made once for all files; none when a file runs by itself. */
function keysOfTheRun(): string[] {
  const { TEST_RSA_KEYS } = process.env;
  return TEST_RSA_KEYS === undefined ? [] : JSON.parse(readFileSync(TEST_RSA_KEYS, 'utf8'));
}

function toKeyPair(pem: string): KeyPair {
  const privateKey = createPrivateKey(pem);
  return { privateKey, publicKey: createPublicKey(privateKey) };
}

const handedOut = new Map<string, number>();

/** No two keys of one database are equal, whichever server generates them. Two databases may have equal keys. */
export function keyPairsFor(database: string): GenerateKeyPair {
  return alg => {
    if (alg !== 'RS256') return generateSystemKeyPair(alg);
    const index = handedOut.get(database) ?? 0;
    handedOut.set(database, index + 1);
    rsa[index] ??= generateSystemKeyPair(alg);
    return rsa[index];
  };
}
