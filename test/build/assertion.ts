import {
  constants,
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomUUID,
  sign,
  type webcrypto,
} from 'node:crypto';
import type { ServerAddress } from './test-server.ts';
import type { Fields } from './visitor.ts';

/** Assertions of clients (RFC 7523), put together by hand with node:crypto: the library under test would not make hostile ones. */
export const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

export interface SigningPair {
  readonly alg: string;
  readonly privateKey: KeyObject;
  readonly publicJwk: Record<string, unknown> & { readonly kid: string };
}

const made = new Map<string, SigningPair>();

/** The same pair for the same name: RSA keys take time. */
export function aSigningPair(alg: 'RS256' | 'PS256' | 'ES256' | 'ES384' | 'EdDSA', name: string = alg): SigningPair {
  const key = `${alg} ${name}`;
  const known = made.get(key);
  if (known) return known;
  const { privateKey } = generated(alg);
  const publicJwk = { ...createPublicKey(privateKey).export({ format: 'jwk' }), kid: `kid-${name}` };
  const pair = { alg, privateKey, publicJwk };
  made.set(key, pair);
  return pair;
}

function generated(alg: string): { readonly privateKey: KeyObject } {
  if (alg === 'EdDSA') return generateKeyPairSync('ed25519');
  if (alg.startsWith('ES')) return generateKeyPairSync('ec', { namedCurve: alg === 'ES256' ? 'P-256' : 'P-384' });
  return generateKeyPairSync('rsa', { modulusLength: 2048 });
}

/** A modulus of 1024 bits, written with as many zeros before it as make it look long enough. */
export function aWeakPair(): SigningPair {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
  const { n = '', ...rest } = publicKey.export({ format: 'jwk' });
  const padded = Buffer.concat([Buffer.alloc(128), Buffer.from(n, 'base64url')]).toString('base64url');
  return { alg: 'RS256', privateKey, publicJwk: { ...rest, n: padded, kid: 'kid-weak' } };
}

export interface AssertionParts {
  readonly clientId: string;
  readonly audience: unknown;
  /** Whole seconds. */
  readonly now: number;
  /** Added, or undefined: left out. */
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
}

export const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

export function signedBy(
  signer: SigningPair | string,
  { clientId, audience, now, claims, header }: AssertionParts,
): string {
  const isSecret = typeof signer === 'string';
  const alg = isSecret ? 'HS256' : signer.alg;
  const kid = isSecret ? {} : { kid: signer.publicJwk.kid };
  const payload = {
    iss: clientId,
    sub: clientId,
    aud: audience,
    exp: now + 60,
    iat: now,
    jti: randomUUID(),
    ...claims,
  };
  const input = `${encoded({ alg, ...kid, ...header })}.${encoded(payload)}`;
  return `${input}.${isSecret ? createHmac('sha256', signer).update(input).digest('base64url') : signature(signer, input)}`;
}

export function signature({ alg, privateKey }: SigningPair, input: string): string {
  const data = Buffer.from(input);
  if (alg === 'EdDSA') return sign(null, data, privateKey).toString('base64url');
  const digest = `sha${alg.slice(2)}`;
  const padding = alg.startsWith('PS')
    ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: Number(alg.slice(2)) / 8 }
    : {};
  return sign(digest, data, { key: privateKey, dsaEncoding: 'ieee-p1363', ...padding }).toString('base64url');
}

/** The parameters of a request. */
export function presenting(assertion: string, over: Fields = {}): Fields {
  return { client_assertion_type: ASSERTION_TYPE, client_assertion: assertion, ...over };
}

/** As a client makes it for this server. */
export function assertionFor(
  server: ServerAddress,
  signer: SigningPair | string,
  parts: Partial<AssertionParts> & Pick<AssertionParts, 'clientId'>,
): string {
  return signedBy(signer, { audience: server.at(), now: Math.floor(Date.now() / 1000), ...parts });
}

/** The private half too, for libraries that sign themselves. */
export function privateJwk({ privateKey }: SigningPair): webcrypto.JsonWebKey {
  return createPrivateKey(privateKey.export({ type: 'pkcs8', format: 'pem' })).export({ format: 'jwk' });
}
