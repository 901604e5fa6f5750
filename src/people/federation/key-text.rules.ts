import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';

/** Our own keys at a provider, as they are stored: private keys in PEM, one after the other. The first signs; all of them decrypt. */
export interface OwnKey {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

export type OwnKeys = readonly [OwnKey, ...OwnKey[]];

/** One that is used, and while it is replaced another one. */
export const MAX_OWN_KEYS = 2;
const MIN_RSA_BITS = 2048;
const BLOCK = /-----BEGIN ((?:RSA )?PRIVATE KEY)-----[\s\S]*?-----END \1-----/g;

/** Undefined: the text has something else, too many, or too weak ones. */
export function privateKeysIn(text: string): OwnKeys | undefined {
  const blocks = text.match(BLOCK) ?? [];
  if (text.replace(BLOCK, '').trim() !== '' || blocks.length > MAX_OWN_KEYS) return undefined;
  const [first, ...others] = blocks.flatMap(block => ownKeyOf(block) ?? []);
  return first && others.length === blocks.length - 1 ? [first, ...others] : undefined;
}

function ownKeyOf(pem: string): OwnKey | undefined {
  try {
    const privateKey = createPrivateKey(pem);
    const isRsa = privateKey.asymmetricKeyType === 'rsa';
    const isStrong = (privateKey.asymmetricKeyDetails?.modulusLength ?? 0) >= MIN_RSA_BITS;
    return isRsa && isStrong ? { privateKey, publicKey: createPublicKey(privateKey) } : undefined;
  } catch {
    return undefined;
  }
}

export function keyText(keys: readonly KeyObject[]): string {
  return keys.map(key => key.export({ type: 'pkcs8', format: 'pem' }) as string).join('');
}
