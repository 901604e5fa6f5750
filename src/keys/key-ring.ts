import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  timingSafeEqual,
} from 'node:crypto';
import type { Random } from '../deps.ts';
import { createHmac, type Hmac } from './hmac.ts';

/**
 * Everything that is derived from GATEHOUSE_SECRET. Several secrets may be given, newest first: the first one makes, all
 * of them check, so that a secret can be replaced without an outage. Each purpose has a key of its own (RFC 5869).
 */
export interface KeyRing {
  /** Authenticated encryption. `context` is bound in: what was sealed for one place cannot be opened in another. */
  seal(purpose: SealingPurpose, plain: Buffer, context?: string): Buffer;
  open(purpose: SealingPurpose, sealed: Uint8Array, context?: string): Buffer | undefined;
  /** Fast to check on every request, and worthless without the server's secret. */
  hashClientSecret(app: string, clientId: string, secret: string): string;
  verifyClientSecret(app: string, clientId: string, secret: string, expected: string): boolean;
  /** By the name that everything made with a secret begins with: its id, in hexadecimal. */
  hasSecret(id: string): boolean;
  /** Where among the users, in the order of `sub`, the stand-in of an unknown login name is: the same on every node. */
  standInPoint(loginName: string): string;
  /** The successor of a refresh token under each secret, newest first: any node finds the same one again. */
  successorsOf(app: string, refreshToken: string): Buffer[];
}

/** Signing keys lie in the database, pending requests travel through browsers: each has a key of its own. */
export type SealingPurpose = 'signing key' | 'pending request';

interface DerivedKeys {
  readonly id: Buffer;
  readonly sealing: Readonly<Record<SealingPurpose, KeyObject>>;
  readonly clientSecret: Hmac;
  readonly successor: Hmac;
  readonly standIn: Hmac;
}

const ID_BYTES = 4;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export function createKeyRing(secrets: readonly string[], random: Random): KeyRing {
  const ring = secrets.map(deriveKeys);
  const newest = ring[0];
  if (!newest) throw new Error('a key ring needs a secret');
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
      const mac = newest.clientSecret(joined(app, clientId, secret));
      return `${newest.id.toString('hex')}:${mac.toString('base64url')}`;
    },
    verifyClientSecret(app, clientId, secret, expected) {
      const [id = '', mac = ''] = expected.split(':');
      const keys = keysById(Buffer.from(id, 'hex'));
      const known = Buffer.from(mac, 'base64url');
      const made = (keys ?? newest).clientSecret(joined(app, clientId, secret));
      return keys !== undefined && known.length === made.length && timingSafeEqual(known, made);
    },
    hasSecret: id => keysById(Buffer.from(id, 'hex')) !== undefined,
    standInPoint: loginName => newest.standIn(loginName).toString('base64url'),
    successorsOf: (app, refreshToken) => ring.map(keys => keys.successor(joined(app, refreshToken))),
  };
}

function deriveKeys(secret: string): DerivedKeys {
  const derive = (purpose: string, bytes: number) =>
    Buffer.from(hkdfSync('sha256', secret, 'gatehouse', purpose, bytes));
  return {
    id: derive('key id', ID_BYTES),
    sealing: {
      // The name from the time when one key sealed everything: keys in databases, and nodes of the release before, know it.
      'signing key': createSecretKey(derive('sealing', 32)),
      'pending request': createSecretKey(derive('pending request sealing', 32)),
    },
    clientSecret: createHmac(derive('client secret', 32)),
    successor: createHmac(derive('refresh token successor', 32)),
    standIn: createHmac(derive('stand-in user', 32)),
  };
}

/** Parts are separated by NUL, which none of them can contain, so that no two lists give the same text. */
function joined(...parts: string[]): string {
  return parts.join('\0');
}
