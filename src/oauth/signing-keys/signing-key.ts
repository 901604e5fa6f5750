import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import type { JWK } from 'jose';
import type { GenerateKeyPair } from '../../platform/crypto/key-pair.ts';
import type { KeyRing } from '../../platform/crypto/key-ring.ts';
import { isKeyEncryptionAlg } from '../encryption/algorithms.rules.ts';
import type { KeyAlg } from './algorithms.rules.ts';
import type { ScheduledKey } from './rules.ts';
import type { SealedKey } from './store.ts';

/** The public half of a signing key. `kid` is the RFC 7638 thumbprint. */
export interface PublicKey extends ScheduledKey {
  readonly alg: KeyAlg;
  readonly jwk: JWK & { readonly kid: string };
  readonly key: KeyObject;
}

/** The `typ` header, which tells the kinds of JWT apart (RFC 8725 section 3.11). */
export type JwtType = 'JWT' | 'at+jwt' | 'logout+jwt' | 'token-introspection+jwt' | 'oauth-id-jag+jwt';

export interface SigningKey extends PublicKey {
  readonly privateKey: KeyObject;
  /** Set when the store has recorded the first signature. */
  hasSigned: boolean;
  /** The encoded JOSE header of a JWT of this type. */
  header(typ: JwtType): string;
}

export interface KeyGeneration {
  readonly ring: KeyRing;
  readonly generateKeyPair: GenerateKeyPair;
}

export async function makeKey(
  { ring, generateKeyPair }: KeyGeneration,
  app: string,
  alg: KeyAlg,
  when: { readonly now: number; readonly signFrom: number },
): Promise<SealedKey> {
  const { publicKey, privateKey } = await generateKeyPair(alg);
  const bare = publicKey.export({ format: 'jwk' }) as JWK;
  // Loaded with the first key that is made.
  const { calculateJwkThumbprint } = await import('jose/jwk/thumbprint');
  const kid = await calculateJwkThumbprint(bare);
  const plain = privateKey.export({ type: 'pkcs8', format: 'der' });
  return {
    app,
    kid,
    alg,
    publicJwk: JSON.stringify({ ...bare, kid, alg, use: isKeyEncryptionAlg(alg) ? 'enc' : 'sig' }),
    sealedPrivateKey: ring.seal('signing key', plain, sealContext(app, kid)),
    createdAt: when.now,
    signFrom: when.signFrom,
    retiredAt: undefined,
    hasSigned: false,
  };
}

/**
 * Checks at once that the key can be unsealed. The key objects, which take time and memory, are made at the first use: there may
 * be ten thousand applications, each with old and new keys beside the one that signs.
 */
export function openKey(sealed: SealedKey, ring: KeyRing): SigningKey {
  unseal(sealed, ring);
  return new LazySigningKey(sealed, ring);
}

class LazySigningKey implements SigningKey {
  readonly alg: KeyAlg;
  readonly signFrom: number;
  readonly retiredAt: number | undefined;
  hasSigned: boolean;
  readonly jwk: SigningKey['jwk'];
  readonly #sealed: Sealed;
  readonly #ring: KeyRing;
  #privateKey: KeyObject | undefined;
  #key: KeyObject | undefined;
  readonly #headers: Partial<Record<JwtType, string>> = {};

  constructor(
    { app, kid, alg, signFrom, retiredAt, hasSigned, publicJwk, sealedPrivateKey }: SealedKey,
    ring: KeyRing,
  ) {
    this.alg = alg;
    this.signFrom = signFrom;
    this.retiredAt = retiredAt;
    this.hasSigned = hasSigned;
    this.jwk = JSON.parse(publicJwk);
    this.#sealed = { app, kid, sealedPrivateKey };
    this.#ring = ring;
  }

  get privateKey(): KeyObject {
    this.#privateKey ??= createPrivateKey({ key: unseal(this.#sealed, this.#ring), type: 'pkcs8', format: 'der' });
    return this.#privateKey;
  }

  get key(): KeyObject {
    this.#key ??= createPublicKey(this.privateKey);
    return this.#key;
  }

  header(typ: JwtType): string {
    this.#headers[typ] ??= base64url({ alg: this.alg, typ, kid: this.jwk.kid });
    return this.#headers[typ];
  }
}

export function base64url(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

type Sealed = Pick<SealedKey, 'app' | 'kid' | 'sealedPrivateKey'>;

function unseal({ app, kid, sealedPrivateKey }: Sealed, ring: KeyRing): Buffer {
  const plain = ring.open('signing key', sealedPrivateKey, sealContext(app, kid));
  if (!plain) throw new Error('a signing key cannot be opened: GATEHOUSE_SECRET is not the one it was sealed with');
  return plain;
}

/** Authenticated with the sealed key: a key that was copied to another application's row cannot be unsealed there. */
function sealContext(app: string, kid: string): string {
  return `signing key ${app} ${kid}`;
}
