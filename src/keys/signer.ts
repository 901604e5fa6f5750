import { createPrivateKey, createPublicKey, generateKeyPair, type KeyObject, sign } from 'node:crypto';
import { promisify } from 'node:util';
import { calculateJwkThumbprint, type JWK } from 'jose';
import { BoundedCache } from '../bounded-cache.ts';
import type { Deps } from '../deps.ts';
import type { Claims } from '../protocol/claims.ts';
import type { SigningAlg } from '../protocol/client.ts';
import type { SealedKey } from '../store/store.ts';
import type { KeyRing } from './key-ring.ts';

/** A key pair per application and algorithm, made when first needed and sealed at rest. `kid` is the RFC 7638 thumbprint. */
export interface Signer {
  /** A signed JWT; `typ` separates ID tokens from access tokens (RFC 8725 section 3.11). */
  sign(app: string, alg: SigningAlg, typ: 'JWT' | 'at+jwt', claims: Claims): Promise<string>;
  publicKeys(app: string): Promise<readonly PublicKey[]>;
  /** Makes the key if there is none yet, so that the JWKS has it before the first token. */
  ensureKey(app: string, alg: SigningAlg): Promise<void>;
  /** Keys may have changed: read them again. */
  forget(): void;
}

export interface PublicKey {
  readonly jwk: JWK & { readonly kid: string };
  readonly key: KeyObject;
}

interface SigningKey extends PublicKey {
  readonly alg: SigningAlg;
  readonly privateKey: KeyObject;
}

type SignerDeps = Pick<Deps, 'store' | 'clock'> & { readonly ring: KeyRing };

export function createSigner({ store, clock, ring }: SignerDeps): Signer {
  const cache = new BoundedCache<string, Promise<SigningKey[]>>(10_000);

  const keysOf = (app: string): Promise<SigningKey[]> => {
    let keys = cache.get(app);
    if (!keys) {
      keys = store.signingKeys(app).then(sealed => sealed.map(key => openKey(key, ring)));
      cache.set(app, keys);
      keys.catch(() => cache.clear());
    }
    return keys;
  };

  const keyFor = async (app: string, alg: SigningAlg): Promise<SigningKey> => {
    const find = (keys: readonly SigningKey[]) => keys.find(key => key.alg === alg);
    const present = find(await keysOf(app));
    if (present) return present;
    await store.addSigningKey(await makeKey(app, alg, ring, clock.now()));
    cache.clear();
    const made = find(await keysOf(app));
    if (!made) throw new Error(`the signing key ${alg} of ${app} is gone`);
    return made;
  };

  return {
    async sign(app, alg, typ, claims) {
      const { privateKey, jwk } = await keyFor(app, alg);
      const input = `${base64url({ alg, typ, kid: jwk.kid })}.${base64url(claims)}`;
      return `${input}.${(await signature(alg, privateKey, input)).toString('base64url')}`;
    },
    publicKeys: async app => {
      await keyFor(app, 'ES256');
      return keysOf(app);
    },
    ensureKey: async (app, alg) => {
      await keyFor(app, alg);
    },
    forget: () => cache.clear(),
  };
}

const signInBackground = promisify(sign) as (alg: string, data: Buffer, key: KeyObject) => Promise<Buffer>;

/**
 * ES256 takes 30 µs and is made in place: handing it to another thread costs more than it saves (docs/decisions/jose.md).
 * RS256 takes a millisecond and would hold up everybody else.
 */
function signature(alg: SigningAlg, key: KeyObject, input: string): Buffer | Promise<Buffer> {
  const data = Buffer.from(input);
  return alg === 'ES256'
    ? sign('sha256', data, { key, dsaEncoding: 'ieee-p1363' })
    : signInBackground('sha256', data, key);
}

function base64url(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

const generate = promisify(generateKeyPair);

async function makeKey(app: string, alg: SigningAlg, ring: KeyRing, now: number): Promise<SealedKey> {
  const { publicKey, privateKey } =
    alg === 'ES256' ? await generate('ec', { namedCurve: 'P-256' }) : await generate('rsa', { modulusLength: 2048 });
  const bare = publicKey.export({ format: 'jwk' }) as JWK;
  const kid = await calculateJwkThumbprint(bare);
  const plain = privateKey.export({ type: 'pkcs8', format: 'der' });
  return {
    app,
    kid,
    alg,
    publicJwk: JSON.stringify({ ...bare, kid, alg, use: 'sig' }),
    sealedPrivateKey: ring.seal(plain, sealContext(app, kid)),
    createdAt: now,
  };
}

function openKey(sealed: SealedKey, ring: KeyRing): SigningKey {
  const plain = ring.open(sealed.sealedPrivateKey, sealContext(sealed.app, sealed.kid));
  if (!plain) throw new Error('a signing key cannot be opened: GATEHOUSE_SECRET is not the one it was sealed with');
  const privateKey = createPrivateKey({ key: plain, type: 'pkcs8', format: 'der' });
  return { alg: sealed.alg, privateKey, key: createPublicKey(privateKey), jwk: JSON.parse(sealed.publicJwk) };
}

/** A sealed key moved to another application's row does not open there. */
function sealContext(app: string, kid: string): string {
  return `signing key ${app} ${kid}`;
}
