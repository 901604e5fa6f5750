import { createPublicKey, type KeyObject } from 'node:crypto';

/** The public keys of a client that signs or decrypts (`jwks` and `jwks_uri`, RFC 7591 section 2): a JWK Set (RFC 7517). */
export interface ClientKeySet {
  readonly keys: readonly ClientKey[];
}

/** A public key that `keyFault` has nothing against: its members have their form. Only its use tells whether they are a key. */
export interface ClientKey {
  readonly kty: string;
  readonly kid?: string | undefined;
  readonly use?: string | undefined;
  readonly alg?: string | undefined;
  readonly key_ops?: readonly string[] | undefined;
  readonly [member: string]: unknown;
}

/** Asymmetric algorithms of RFC 7518 section 3.1, RFC 8037 and RFC 9864, for assertions. Never `none`, never a shared secret. */
export const asymmetricAlgs = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
] as const;
export type AsymmetricAlg = (typeof asymmetricAlgs)[number];

/** So many signatures are tried at most where an assertion names no `kid`. */
export const MAX_CLIENT_KEYS = 20;
const MAX_KID_LENGTH = 256;

/** Of each kind of key: the members that make it. */
const KINDS: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  // 2048 to 8192 bits; verifying takes longer with each bit of the modulus and of the exponent.
  RSA: { n: /^[\w-]{342,1366}$/, e: /^[\w-]{2,8}$/ },
  EC: { x: /^[\w-]{43,88}$/, y: /^[\w-]{43,88}$/ },
  OKP: { x: /^[\w-]{43}$/ },
};
const CURVES: Readonly<Record<string, readonly string[]>> = {
  EC: ['P-256', 'P-384', 'P-521'],
  OKP: ['Ed25519', 'X25519'],
};
/** RFC 7518 section 6: of private keys, and of symmetric ones. */
const SECRET_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv'];

/** Why a JWK is no public key that can verify an assertion, or that an answer can be encrypted to; undefined if it is one. */
export function keyFault(jwk: unknown): string | undefined {
  if (typeof jwk !== 'object' || jwk === null || Array.isArray(jwk)) return 'must be a JWK';
  const key = jwk as Readonly<Record<string, unknown>>;
  const { kty, crv, kid, use, alg, key_ops } = key;
  if (hasSecretMember(key)) {
    return 'must be a public key: a private or symmetric key must not leave the client';
  }
  const members = typeof kty === 'string' && Object.hasOwn(KINDS, kty) ? KINDS[kty] : undefined;
  if (typeof kty !== 'string' || !members) return 'must have the kty RSA, EC or OKP';
  const curves = CURVES[kty];
  if (curves && !curves.includes(String(crv))) return `must have the crv ${curves.join(', ')}`;
  for (const [member, form] of Object.entries(members)) {
    if (typeof key[member] !== 'string' || !form.test(key[member])) return `has no valid ${member}`;
  }
  if (kid !== undefined && !isShortText(kid)) return `must have a kid of at most ${MAX_KID_LENGTH} characters`;
  if ([use, alg].some(text => text !== undefined && !isShortText(text))) return 'must have texts as use and alg';
  if (key_ops !== undefined && !isTexts(key_ops)) return 'must have a list of texts as key_ops';
  return undefined;
}

/** Of a private or symmetric key: it must not be shown to anybody. */
export function hasSecretMember(key: Readonly<Record<string, unknown>>): boolean {
  return key.kty === 'oct' || SECRET_MEMBERS.some(member => member in key);
}

export function isClientKey(jwk: unknown): jwk is ClientKey {
  return keyFault(jwk) === undefined;
}

function isShortText(value: unknown): boolean {
  return typeof value === 'string' && value.length <= MAX_KID_LENGTH;
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every(isShortText);
}

/** Whether the key may verify signatures of this algorithm: its type, curve, `use`, `key_ops` and `alg` agree (RFC 8725 section 3.1). */
export function canVerify({ kty, crv, use, alg: ownAlg, key_ops }: ClientKey, alg: AsymmetricAlg): boolean {
  if (use !== undefined && use !== 'sig') return false;
  if (key_ops !== undefined && !key_ops.includes('verify')) return false;
  if (ownAlg !== undefined && nameOf(ownAlg) !== nameOf(alg)) return false;
  return TYPES[alg] === (kty === 'RSA' ? kty : crv);
}

/** RFC 9864 renames EdDSA with this curve. Both names are in use. */
function nameOf(alg: string): string {
  return alg === 'EdDSA' ? 'Ed25519' : alg;
}

const TYPES: Readonly<Record<AsymmetricAlg, string>> = {
  RS256: 'RSA',
  RS384: 'RSA',
  RS512: 'RSA',
  PS256: 'RSA',
  PS384: 'RSA',
  PS512: 'RSA',
  ES256: 'P-256',
  ES384: 'P-384',
  ES512: 'P-521',
  EdDSA: 'Ed25519',
  Ed25519: 'Ed25519',
};

/** The keys that an assertion may be signed with: those of its `kid`, or without one all that fit its algorithm. */
export function candidateKeys(
  keys: readonly ClientKey[],
  { alg, kid }: { readonly alg: AsymmetricAlg; readonly kid: string | undefined },
): readonly ClientKey[] {
  const fitting = keys.filter(key => (kid === undefined || key.kid === kid) && canVerify(key, alg));
  return fitting.slice(0, MAX_CLIENT_KEYS);
}

/** The same object for the same key each time: jose imports an object once. */
const bareKeys = new WeakMap<ClientKey, Readonly<Record<string, string>>>();

/** The public members alone, under which a key is imported: `alg` and the others were compared already. */
export function bareKey(key: ClientKey): Readonly<Record<string, string>> {
  const known = bareKeys.get(key);
  if (known) return known;
  const names = ['kty', ...(CURVES[key.kty] ? ['crv'] : []), ...Object.keys(KINDS[key.kty] ?? {})];
  const bare = Object.fromEntries(names.map(name => [name, String(key[name])]));
  bareKeys.set(key, bare);
  return bare;
}

/** RFC 7518 section 3.3. The text of a key can be long with zeros alone. */
const MIN_RSA_BITS = 2048;

/** Undefined: nothing verifies with it or encrypts to it, whoever published it: a point beside its curve, or a short modulus. */
export function importKey(bare: Readonly<Record<string, string>>): KeyObject | undefined {
  try {
    const key = createPublicKey({ key: bare, format: 'jwk' });
    const bits = key.asymmetricKeyDetails?.modulusLength ?? MIN_RSA_BITS;
    return bits < MIN_RSA_BITS ? undefined : key;
  } catch {
    return undefined;
  }
}

/** A fetched document: undefined if it is no JWK Set. Keys of other kinds or for other uses are skipped, as RFC 7517 section 5 says. */
export function readKeySet(text: string): ClientKeySet | undefined {
  try {
    const { keys } = JSON.parse(text);
    return Array.isArray(keys) ? { keys: keys.filter(isClientKey).slice(0, MAX_CLIENT_KEYS) } : undefined;
  } catch {
    return undefined;
  }
}
