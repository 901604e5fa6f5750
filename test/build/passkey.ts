import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import type { Seen } from './visitor.ts';

/**
 * An authenticator and the browser before it, in software (WebAuthn level 3 section 6): it answers what the pages ask, and lies as a
 * test wants it to.
 */
export interface SoftPasskey {
  readonly credentialId: string;
  /** A COSE key, in base64url. */
  readonly publicKey: string;
  /** Raised with each assertion; 0 and `hasCounter: false`: there is none. */
  signCount: number;
  register(asked: Asked, lies?: Lies): string;
  assert(asked: Asked, lies?: Lies): string;
}

/** What a page asks of the browser. */
export interface Asked {
  readonly challenge: string;
  readonly rpId?: string;
  readonly rp?: { readonly id: string };
  readonly user?: { readonly id: string };
  readonly origin: string;
}

export interface Lies {
  readonly challenge?: string;
  readonly origin?: string;
  readonly rpId?: string;
  readonly type?: string;
  readonly crossOrigin?: boolean;
  readonly isPresent?: boolean;
  readonly isVerified?: boolean;
  readonly userHandle?: string | undefined;
  readonly signCount?: number;
  readonly signature?: Buffer;
  /** The attestation statement of a certificate that the user chose. */
  readonly certificate?: Buffer;
}

interface Traits {
  readonly isVerifying?: boolean;
  readonly isSynced?: boolean;
  readonly hasCounter?: boolean;
  readonly credentialId?: string;
  /** Of a passkey that was made at another system. */
  readonly userHandle?: string;
}

/** The options in the form that asks for a passkey. */
export function askedBy(page: Seen): Asked {
  const options = /data-options="([^"]*)"/.exec(page.text)?.[1];
  if (options === undefined) throw new Error(`no passkey is asked for: ${page.status} ${page.text.slice(0, 300)}`);
  return {
    ...JSON.parse(options.replaceAll('&quot;', '"').replaceAll('&amp;', '&')),
    origin: new URL(page.url).origin,
  };
}

export function aPasskey(traits: Traits = {}): SoftPasskey {
  const { isVerifying = true, isSynced = false, hasCounter = true } = traits;
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const credentialId = traits.credentialId ?? randomBytes(32).toString('base64url');
  let { userHandle } = traits;

  const clientData = (type: string, asked: Asked, lies: Lies) =>
    Buffer.from(
      JSON.stringify({
        type: lies.type ?? type,
        challenge: lies.challenge ?? asked.challenge,
        origin: lies.origin ?? asked.origin,
        crossOrigin: lies.crossOrigin ?? false,
      }),
    );
  const authenticatorData = (rpId: string, signCount: number, lies: Lies, attested?: Buffer) => {
    const { isPresent = true, isVerified = isVerifying } = lies;
    const flags =
      (isPresent ? 0x01 : 0) | (isVerified ? 0x04 : 0) | (isSynced ? 0x18 : 0) | (attested === undefined ? 0 : 0x40);
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(signCount);
    return Buffer.concat([sha256(lies.rpId ?? rpId), Buffer.from([flags]), counter, attested ?? Buffer.alloc(0)]);
  };

  return {
    credentialId,
    publicKey: coseKey(publicKey).toString('base64url'),
    signCount: 0,
    register(asked, lies = {}) {
      userHandle = asked.user?.id;
      const id = Buffer.from(credentialId, 'base64url');
      const length = Buffer.from([id.length >> 8, id.length & 0xff]);
      const attested = Buffer.concat([Buffer.alloc(16), length, id, coseKey(publicKey)]);
      const data = authenticatorData(asked.rp?.id ?? '', this.signCount, lies, attested);
      const { certificate } = lies;
      const statement = certificate ? { alg: -7, sig: Buffer.alloc(8), x5c: [certificate] } : {};
      const object = cbor({ fmt: certificate ? 'packed' : 'none', attStmt: statement, authData: data });
      return answer(credentialId, {
        clientDataJSON: clientData('webauthn.create', asked, lies).toString('base64url'),
        attestationObject: object.toString('base64url'),
        transports: ['internal', 'made-up'],
      });
    },
    assert(asked, lies = {}) {
      if (hasCounter) this.signCount += 1;
      const data = authenticatorData(asked.rpId ?? '', lies.signCount ?? this.signCount, lies);
      const client = clientData('webauthn.get', asked, lies);
      const signature = lies.signature ?? sign('sha256', Buffer.concat([data, sha256(client)]), privateKey);
      return answer(credentialId, {
        clientDataJSON: client.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: signature.toString('base64url'),
        userHandle: 'userHandle' in lies ? lies.userHandle : userHandle,
      });
    },
  };
}

function answer(id: string, response: object): string {
  return JSON.stringify({ id, rawId: id, type: 'public-key', response, clientExtensionResults: {} });
}

function sha256(data: string | Buffer): Buffer {
  return createHash('sha256').update(data).digest();
}

/** An ES256 key (RFC 9053 section 7.1.1). */
function coseKey(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' });
  return cbor(
    new Map<number, unknown>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Buffer.from(x, 'base64url')],
      [-3, Buffer.from(y, 'base64url')],
    ]),
  );
}

/** As much of CBOR (RFC 8949) as an authenticator needs. */
export function cbor(value: unknown): Buffer {
  if (typeof value === 'number') return value >= 0 ? head(0, value) : head(1, -1 - value);
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  if (Array.isArray(value)) return Buffer.concat([head(4, value.length), ...value.map(cbor)]);
  const entries = value instanceof Map ? [...value] : Object.entries(value as object);
  return Buffer.concat([head(5, entries.length), ...entries.flatMap(([key, each]) => [cbor(key), cbor(each)])]);
}

function head(major: number, length: number): Buffer {
  if (length < 24) return Buffer.from([(major << 5) | length]);
  if (length < 256) return Buffer.from([(major << 5) | 24, length]);
  return Buffer.from([(major << 5) | 25, length >> 8, length & 0xff]);
}
