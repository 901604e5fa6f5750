import { type KeyObject, sign } from 'node:crypto';
import { promisify } from 'node:util';
import type { Application } from '../../directory/applications/rules.ts';
import type { Claims } from '../../directory/users/claims.rules.ts';
import { BoundedCache } from '../../platform/bounded-cache.ts';
import type { Deps } from '../../services.ts';
import { isKeyEncryptionAlg, type KeyEncryptionAlg } from '../encryption/algorithms.rules.ts';
import type { KeyAlg, SigningAlg } from './algorithms.rules.ts';
import { currentKeys, longestTokenTtl, publishedKeys, signingKey } from './rules.ts';
import {
  base64url,
  type JwtType,
  type KeyGeneration,
  makeKey,
  openKey,
  type PublicKey,
  type SigningKey,
} from './signing-key.ts';
import { SpareKeys } from './spare-keys.ts';

/** Signs with the keys of each application. rules.ts decides when a key signs; rotation.ts makes keys. */
export interface Signer {
  /** A signed JWT; `typ` separates ID tokens, access tokens and logout tokens (RFC 8725 section 3.11). */
  sign(app: string, alg: SigningAlg, typ: JwtType, claims: Claims): Promise<string>;
  /** The keys of the JWK Set at this moment. */
  publishedKeys(application: Application): Promise<readonly PublicKey[]>;
  /**
   * All keys in the store, for verifying tokens that this server issued: also keys that have left the JWK Set. If `kid` is not
   * among the cached ones, the keys are read again, because another node may have made it.
   */
  retainedKeys(app: string, kid?: string): Promise<readonly PublicKey[]>;
  /** The private keys that open what was encrypted to this application: the one of this `kid`, or without one all of the algorithm. */
  decryptionKeys(app: string, alg: KeyEncryptionAlg, kid: string | undefined): Promise<readonly KeyObject[]>;
  /** Empties the cache: keys may have changed. */
  invalidate(): void;
  /** Makes spare keys, for requests at applications whose keys are not made yet. */
  makeSpareKeys(): Promise<void>;
}

interface CachedKeys {
  readonly keys: SigningKey[];
  /** The algorithms that clients of the application use, and its default. */
  readonly inUse: readonly KeyAlg[];
}

const MAX_CACHED_APPLICATIONS = 10_000;

type SignerDeps = Pick<Deps, 'store' | 'clock' | 'log'> & KeyGeneration;

export function createSigner(deps: SignerDeps): Signer {
  const { store, clock, log, ring } = deps;
  const spare = new SpareKeys(deps.generateKeyPair);
  const generateKeyPair = (alg: KeyAlg) => spare.take(alg);
  const cache = new BoundedCache<string, Promise<CachedKeys>>(MAX_CACHED_APPLICATIONS);

  const lastRereadAt = new BoundedCache<string, number>(MAX_CACHED_APPLICATIONS);
  /** At most once a second for each application: tokens with invented key ids must not cause a database read each. */
  const canReread = (app: string): boolean => {
    const now = clock.now();
    if (lastRereadAt.get(app) === now) return false;
    lastRereadAt.set(app, now);
    return true;
  };

  /** Algorithms before keys: the first signature with a key of an unused algorithm invalidates the caches of all processes. */
  const readKeys = async (app: string): Promise<CachedKeys> => {
    const inUse = await store.keyAlgs(app);
    return { inUse, keys: (await store.signingKeys(app)).map(key => openKey(key, ring)) };
  };
  const cachedKeys = (app: string): Promise<CachedKeys> => {
    let cached = cache.get(app);
    if (!cached) {
      cached = readKeys(app);
      cache.set(app, cached);
      cached.catch(() => cache.delete(app));
    }
    return cached;
  };
  const keysOf = async (app: string): Promise<SigningKey[]> => (await cachedKeys(app)).keys;
  /** Drops one application from the cache and not all: a caller with an invented key id could otherwise make all be read again. */
  const keysReadAgain = (app: string): Promise<SigningKey[]> => {
    cache.delete(app);
    return keysOf(app);
  };

  /**
   * The last resort: keys are made together with the clients that need them (operators/apply) and by rotation.ts. Requests get a
   * spare key; if there is none, they wait for one, which is generated once, on the thread pool.
   */
  const pendingKeys = new Map<string, Promise<SigningKey>>();
  const makeMissingKey = (app: string, alg: KeyAlg): Promise<SigningKey> => {
    const name = `${app} ${alg}`;
    let pending = pendingKeys.get(name);
    if (!pending) {
      if (!spare.has(alg)) log.warn('key.missing', { app, alg });
      pending = addFirstKey(app, alg).finally(() => pendingKeys.delete(name));
      pendingKeys.set(name, pending);
    }
    return pending;
  };
  const addFirstKey = async (app: string, alg: KeyAlg): Promise<SigningKey> => {
    const now = clock.now();
    await store.addSigningKey(await makeKey({ ring, generateKeyPair }, app, alg, { now, signFrom: now }), undefined);
    const made = signingKey(await keysReadAgain(app), alg, clock.now());
    if (!made) throw new Error(`the signing key ${alg} of ${app} is gone`);
    return made;
  };

  /** The key was written together with the client that needs it, and this process has cached the keys from before. */
  const uncachedKey = async (app: string, alg: KeyAlg): Promise<SigningKey> =>
    signingKey(await keysReadAgain(app), alg, clock.now()) ?? makeMissingKey(app, alg);

  /** Records the first signature of a key, before the token is issued (row 56). Concurrent signatures share the write. */
  const pendingWrites = new WeakMap<SigningKey, Promise<void>>();
  const recordFirstSignature = (app: string, key: SigningKey): Promise<void> => {
    let pending = pendingWrites.get(key);
    if (!pending) {
      pending = store.noteKeySigned(app, key.jwk.kid).finally(() => pendingWrites.delete(key));
      pendingWrites.set(key, pending);
    }
    return pending.then(() => {
      key.hasSigned = true;
    });
  };

  const keysFor = async (app: string, kid?: string): Promise<SigningKey[]> => {
    const keys = await keysOf(app);
    if (kid === undefined || keys.some(({ jwk }) => jwk.kid === kid) || !canReread(app)) return keys;
    return keysReadAgain(app);
  };

  return {
    async sign(app, alg, typ, claims) {
      const { keys } = await cachedKeys(app);
      const key = signingKey(keys, alg, clock.now()) ?? (await uncachedKey(app, alg));
      if (!key.hasSigned) await recordFirstSignature(app, key);
      const input = `${key.header(typ)}.${base64url(claims)}`;
      const data = Buffer.from(input, 'latin1');
      const signed =
        alg === 'RS256' ? await signOnThreadPool(data, key.privateKey) : signOnEventLoop(data, key.privateKey, alg);
      return `${input}.${signed.toString('base64url')}`;
    },
    publishedKeys: async application => {
      const { code } = application;
      const { inUse, keys: cached } = await cachedKeys(code);
      // Clients cache the key set: after an empty one they would refuse the first tokens. Without a spare key, a look makes none.
      const isMissing = (alg: KeyAlg) =>
        // Where nobody can look for it but here: a client that has registered itself waits for it.
        isKeyEncryptionAlg(alg) ? currentKeys(cached, alg).length === 0 : cached.length === 0 && spare.has(alg);
      const algs = inUse.filter(isMissing);
      for (const alg of algs) await uncachedKey(code, alg);
      const keys = await keysOf(code);
      return publishedKeys(keys, clock.now(), longestTokenTtl(application), inUse);
    },
    retainedKeys: keysFor,
    decryptionKeys: async (app, alg, kid) => {
      const keys = (await keysFor(app, kid)).filter(
        key => key.alg === alg && (kid === undefined || key.jwk.kid === kid),
      );
      // The newest first: it is the one that the client has read last.
      return keys.toReversed().map(({ privateKey }) => privateKey);
    },
    invalidate: () => cache.clear(),
    makeSpareKeys: () => spare.fill(),
  };
}

const signAsync = promisify(sign) as (alg: string, data: Buffer, key: KeyObject) => Promise<Buffer>;

/** RS256 takes 0.4 to 1 ms, which would delay other requests, so it runs on the thread pool. */
function signOnThreadPool(data: Buffer, key: KeyObject): Promise<Buffer> {
  return signAsync('sha256', data, key);
}

/** ES256 and EdDSA take about 30 µs: handing them to another thread costs more than it saves (docs/decisions/jose.md). */
function signOnEventLoop(data: Buffer, key: KeyObject, alg: 'ES256' | 'EdDSA'): Buffer {
  return alg === 'ES256' ? sign('sha256', data, { key, dsaEncoding: 'ieee-p1363' }) : sign(null, data, key);
}
