import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hash,
  hkdfSync,
  type KeyObject,
  timingSafeEqual,
} from 'node:crypto';
import type { Random } from '../deps.ts';

/**
 * Everything that is derived from GATEHOUSE_SECRET. The setting may list several secrets, newest first: the first one seals and
 * hashes, all of them open and verify. So a secret can be replaced without an outage. Each purpose has its own derived key
 * (HKDF, RFC 5869).
 */
export interface KeyRing {
  /** Authenticated encryption (AES-256-GCM). `context` is authenticated: a value sealed with one context does not open with another. */
  seal(purpose: SealingPurpose, plain: Buffer, context?: string): Buffer;
  open(purpose: SealingPurpose, sealed: Uint8Array, context?: string): Buffer | undefined;
  /** An HMAC: fast to verify on every request, and useless for offline guessing without the server's secret. */
  hashClientSecret(app: string, clientId: string, secret: string): string;
  verifyClientSecret(app: string, clientId: string, secret: string, expected: string): boolean;
  /** The ids of the secrets (hexadecimal), newest first: the first one seals. */
  readonly secretIds: readonly [string, ...string[]];
  /** Whether the ring has the secret with this id (hexadecimal). Everything that is sealed or hashed begins with the id of its secret. */
  hasSecret(id: string): boolean;
  /** The place in the order of `sub` whose user stands in for an unknown login name: the same on every node. */
  hashOfLoginName(loginName: string): string;
  /** The secret of the successor of a refresh token under each secret of the ring, newest first. Every node derives the same one. */
  successorsOf(app: string, refreshToken: string): string[];
  /** The part of a nonce for proofs of possession that only this server can make (oauth/dpop/nonce.ts). */
  nonceMac(input: string): string;
  verifyNonceMac(input: string, mac: string): boolean;
  /** A user code of a device, or the approval code of a person, is short: its hash must be useless for offline guessing. Under each secret of the ring, newest first. */
  userCodeHashes(userCode: string): [string, ...string[]];
  /** Authenticates an entry of the audit log (audit/events/chain.ts). It begins with the id of its secret. */
  auditMac(input: string): Buffer;
  verifyAuditMac(input: string, mac: Uint8Array): 'right' | 'wrong' | 'unknownSecret';
}

/**
 * Signing keys, webhook secrets, secrets at identity providers and what sign-ins there leave here, secrets of clients that sign with them, keys for one-time passwords, mails, e-mail addresses that wait
 * for their confirmation, pushed requests, pings of the backchannel and answers to repeatable requests are stored in the database; pending requests, the console's
 * session, what an identity provider has posted, acts that an assistant proposes and who has signed in with a browser travel through browsers: each has its own sealing key.
 */
export type SealingPurpose =
  | 'signing key'
  | 'pending request'
  | 'answer'
  | 'webhook secret'
  | 'provider secret'
  | 'provider answer'
  | 'provider session'
  | 'client secret'
  | 'one-time password key'
  | 'console session'
  | 'known browser'
  | 'first owner'
  | 'mail'
  | 'e-mail confirmation'
  | 'pushed request'
  | 'backchannel ping'
  | 'proposed act';

interface DerivedKeys {
  readonly id: Buffer;
  readonly sealing: Readonly<Record<SealingPurpose, KeyObject>>;
  readonly clientSecret: KeyObject;
  readonly successor: Buffer;
  readonly standIn: KeyObject;
  readonly userCode: KeyObject;
  readonly audit: KeyObject;
  readonly nonce: KeyObject;
}

const ID_BYTES = 4;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export function createKeyRing(secrets: readonly string[], random: Random): KeyRing {
  const ring = secrets.map(deriveKeys);
  const newest = ring[0];
  if (!newest) throw new Error('a key ring needs at least one secret');
  const keysById = (id: Uint8Array) => ring.find(keys => keys.id.equals(id));

  return {
    seal(purpose, plain, context = '') {
      const nonce = random.bytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', newest.sealing[purpose], nonce).setAAD(Buffer.from(context));
      return Buffer.concat([newest.id, nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
    },
    open(purpose, sealed, context = '') {
      const keys = keysById(sealed.subarray(0, ID_BYTES));
      if (!keys || sealed.length < ID_BYTES + NONCE_BYTES + TAG_BYTES) return undefined;
      const nonce = sealed.subarray(ID_BYTES, ID_BYTES + NONCE_BYTES);
      const decipher = createDecipheriv('aes-256-gcm', keys.sealing[purpose], nonce, { authTagLength: TAG_BYTES });
      decipher.setAAD(Buffer.from(context)).setAuthTag(sealed.subarray(-TAG_BYTES));
      try {
        return Buffer.concat([decipher.update(sealed.subarray(ID_BYTES + NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
      } catch {
        return undefined;
      }
    },
    hashClientSecret: (app, clientId, secret) => {
      return `${newest.id.toString('hex')}:${hmac(newest.clientSecret, app, clientId, secret)}`;
    },
    verifyClientSecret(app, clientId, secret, expected) {
      const [id = '', mac = ''] = expected.split(':');
      const keys = keysById(Buffer.from(id, 'hex'));
      const stored = Buffer.from(mac, 'base64url');
      const computed = Buffer.from(hmac((keys ?? newest).clientSecret, app, clientId, secret), 'base64url');
      return keys !== undefined && stored.length === computed.length && timingSafeEqual(stored, computed);
    },
    secretIds: [newest.id.toString('hex'), ...ring.slice(1).map(({ id }) => id.toString('hex'))],
    hasSecret: id => keysById(Buffer.from(id, 'hex')) !== undefined,
    hashOfLoginName: loginName => hmac(newest.standIn, loginName),
    successorsOf: (app, refreshToken) => ring.map(keys => keyedHash(keys.successor, app, refreshToken)),
    nonceMac: input => hmac(newest.nonce, input),
    verifyNonceMac(input, mac) {
      const received = Buffer.from(mac);
      const isRight = ({ nonce }: DerivedKeys) => {
        const computed = Buffer.from(hmac(nonce, input));
        return received.length === computed.length && timingSafeEqual(received, computed);
      };
      return ring.some(isRight);
    },
    userCodeHashes: userCode => [
      hmac(newest.userCode, userCode),
      ...ring.slice(1).map(keys => hmac(keys.userCode, userCode)),
    ],
    auditMac: input => Buffer.concat([newest.id, Buffer.from(hmac(newest.audit, input), 'base64url')]),
    verifyAuditMac(input, mac) {
      const keys = keysById(mac.subarray(0, ID_BYTES));
      if (!keys) return 'unknownSecret';
      const computed = Buffer.from(hmac(keys.audit, input), 'base64url');
      const stored = mac.subarray(ID_BYTES);
      return stored.length === computed.length && timingSafeEqual(stored, computed) ? 'right' : 'wrong';
    },
  };
}

function deriveKeys(secret: string): DerivedKeys {
  const derive = (purpose: string, bytes: number) =>
    Buffer.from(hkdfSync('sha256', secret, 'gatehouse', purpose, bytes));
  return {
    id: derive('key id', ID_BYTES),
    sealing: {
      // This label is from the first release, where one key sealed everything. Stored keys were sealed with it, so it stays.
      'signing key': createSecretKey(derive('sealing', 32)),
      'pending request': createSecretKey(derive('pending request sealing', 32)),
      answer: createSecretKey(derive('answer sealing', 32)),
      'webhook secret': createSecretKey(derive('webhook secret sealing', 32)),
      'provider secret': createSecretKey(derive('provider secret sealing', 32)),
      'provider answer': createSecretKey(derive('provider answer sealing', 32)),
      'provider session': createSecretKey(derive('provider session sealing', 32)),
      'client secret': createSecretKey(derive('client secret sealing', 32)),
      'one-time password key': createSecretKey(derive('one-time password key sealing', 32)),
      'console session': createSecretKey(derive('console session sealing', 32)),
      'known browser': createSecretKey(derive('known browser sealing', 32)),
      'first owner': createSecretKey(derive('first owner sealing', 32)),
      mail: createSecretKey(derive('mail sealing', 32)),
      'e-mail confirmation': createSecretKey(derive('e-mail confirmation sealing', 32)),
      'pushed request': createSecretKey(derive('pushed request sealing', 32)),
      'backchannel ping': createSecretKey(derive('backchannel ping sealing', 32)),
      'proposed act': createSecretKey(derive('proposed act sealing', 32)),
    },
    clientSecret: createSecretKey(derive('client secret', 32)),
    successor: derive('refresh token successor', 32),
    standIn: createSecretKey(derive('stand-in user', 32)),
    userCode: createSecretKey(derive('user code', 32)),
    audit: createSecretKey(derive('audit log', 32)),
    nonce: createSecretKey(derive('proof nonce', 32)),
  };
}

/** In base64url. The parts are joined by NUL, which no part can contain, so that different lists never give the same input. */
function hmac(key: KeyObject, ...parts: string[]): string {
  return createHmac('sha256', key).update(parts.join('\0')).digest('base64url');
}

/**
 * The same for every refresh, in less than half of the time: SHA-3 with the key in front is a MAC by itself, since its output does not tell
 * how to go on hashing (FIPS 202, appendix A.2), and one call of `hash` makes no object.
 */
function keyedHash(key: Buffer, ...parts: string[]): string {
  return hash('sha3-256', Buffer.concat([key, Buffer.from(parts.join('\0'))]), 'base64url');
}
