import { type KeyObject, sign } from 'node:crypto';
import { promisify } from 'node:util';
import { BoundedCache } from '../bounded-cache.ts';
import type { Deps } from '../deps.ts';
import type { Claims } from '../protocol/claims.ts';
import type { Application, SigningAlg } from '../protocol/client.ts';
import { publishedKeys, signingKey } from '../protocol/key-schedule.ts';
import {
  base64url,
  type JwtType,
  type KeyMaking,
  makeKey,
  openKey,
  type PublicKey,
  type SigningKey,
} from './signing-key.ts';

/** Signs with the keys of each application. When keys change: protocol/key-schedule.ts; who makes them: rotation.ts. */
export interface Signer {
  /** A signed JWT; `typ` separates ID tokens, access tokens and logout tokens (RFC 8725 section 3.11). */
  sign(app: string, alg: SigningAlg, typ: JwtType, claims: Claims): Promise<string>;
  /** What the key set shows now. */
  publishedKeys(application: Application): Promise<readonly PublicKey[]>;
  /** Every key that is still remembered, for tokens that come back to us. If `kid` is not there, another node may have made it. */
  rememberedKeys(app: string, kid?: string): Promise<readonly PublicKey[]>;
  /** Keys may have changed: read them again. */
  forget(): void;
}

interface KnownKeys {
  readonly keys: SigningKey[];
  /** The algorithms that clients of the application use, and its default. */
  readonly inUse: readonly SigningAlg[];
}

type SignerDeps = Pick<Deps, 'store' | 'clock' | 'log'> & KeyMaking;

export function createSigner(deps: SignerDeps): Signer {
  const { store, clock, log, ring } = deps;
  const cache = new BoundedCache<string, Promise<KnownKeys>>(10_000);

  const lookedAt = new BoundedCache<string, number>(10_000);
  /** Once a second and application: a stream of made-up key names must not become a stream of look-ups. */
  const mayLookAgain = (app: string): boolean => {
    const now = clock.now();
    if (lookedAt.get(app) === now) return false;
    lookedAt.set(app, now);
    return true;
  };

  /** In this order: a first signature after the algorithm has gone out of use makes every process read again. */
  const readKeys = async (app: string): Promise<KnownKeys> => {
    const inUse = await store.signingAlgs(app);
    return { inUse, keys: (await store.signingKeys(app)).map(key => openKey(key, ring)) };
  };
  const knownKeys = (app: string): Promise<KnownKeys> => {
    let known = cache.get(app);
    if (!known) {
      known = readKeys(app);
      cache.set(app, known);
      known.catch(() => cache.delete(app));
    }
    return known;
  };
  const keysOf = async (app: string): Promise<SigningKey[]> => (await knownKeys(app)).keys;
  /** Not those of others: whoever can make up a name would have all of them read again. */
  const keysReadAgain = (app: string): Promise<SigningKey[]> => {
    cache.delete(app);
    return keysOf(app);
  };

  /**
   * Keys are made with what needs them (provisioning/, rotation.ts), so this should not happen. The requests that meet it wait
   * for one key, which is made on another thread.
   */
  const underWay = new Map<string, Promise<SigningKey>>();
  const makeMissingKey = (app: string, alg: SigningAlg): Promise<SigningKey> => {
    const name = `${app} ${alg}`;
    let making = underWay.get(name);
    if (!making) {
      log.warn('key.missing', { app, alg });
      making = addFirstKey(app, alg).finally(() => underWay.delete(name));
      underWay.set(name, making);
    }
    return making;
  };
  const addFirstKey = async (app: string, alg: SigningAlg): Promise<SigningKey> => {
    const now = clock.now();
    await store.addSigningKey(await makeKey(deps, app, alg, { now, signFrom: now }), undefined);
    const made = signingKey(await keysReadAgain(app), alg, clock.now());
    if (!made) throw new Error(`the signing key ${alg} of ${app} is gone`);
    return made;
  };

  /** The key came with the client that needs it, and this process has not heard of it yet. */
  const unknownKey = async (app: string, alg: SigningAlg): Promise<SigningKey> =>
    signingKey(await keysReadAgain(app), alg, clock.now()) ?? makeMissingKey(app, alg);

  /** One write in the life of a key, shared by all who wait for it. */
  const beingNoted = new WeakMap<SigningKey, Promise<void>>();
  const noteSigned = (app: string, key: SigningKey): Promise<void> => {
    let noting = beingNoted.get(key);
    if (!noting) {
      noting = store.noteKeySigned(app, key.jwk.kid).finally(() => beingNoted.delete(key));
      beingNoted.set(key, noting);
    }
    return noting.then(() => {
      key.hasSigned = true;
    });
  };

  return {
    async sign(app, alg, typ, claims) {
      const { keys } = await knownKeys(app);
      const key = signingKey(keys, alg, clock.now()) ?? (await unknownKey(app, alg));
      if (!key.hasSigned) await noteSigned(app, key);
      const input = `${key.header(typ)}.${base64url(claims)}`;
      const data = Buffer.from(input, 'latin1');
      const signed =
        alg === 'RS256' ? await signInBackground(data, key.privateKey) : signInPlace(data, key.privateKey, alg);
      return `${input}.${signed.toString('base64url')}`;
    },
    publishedKeys: async ({ code, id_token_ttl, access_token_ttl }) => {
      const { keys, inUse } = await knownKeys(code);
      return publishedKeys(keys, clock.now(), Math.max(id_token_ttl, access_token_ttl), inUse);
    },
    rememberedKeys: async (app, kid) => {
      const keys = await keysOf(app);
      if (kid === undefined || keys.some(({ jwk }) => jwk.kid === kid) || !mayLookAgain(app)) return keys;
      return keysReadAgain(app);
    },
    forget: () => cache.clear(),
  };
}

const signAsync = promisify(sign) as (alg: string, data: Buffer, key: KeyObject) => Promise<Buffer>;

/** RS256 takes a millisecond and would hold up all other requests. */
function signInBackground(data: Buffer, key: KeyObject): Promise<Buffer> {
  return signAsync('sha256', data, key);
}

/** ES256 and EdDSA take some 30 µs: handing them to another thread costs more than it saves (docs/decisions/jose.md). */
function signInPlace(data: Buffer, key: KeyObject, alg: 'ES256' | 'EdDSA'): Buffer {
  return alg === 'ES256' ? sign('sha256', data, { key, dsaEncoding: 'ieee-p1363' }) : sign(null, data, key);
}
