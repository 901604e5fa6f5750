import { bareKey, type ClientKey, type ClientKeySet, importKey } from '../../directory/clients/keys.rules.ts';
import {
  type ContentEncryption,
  DEFAULT_CONTENT_ENCRYPTION,
  isRsa,
  type KeyEncryptionAlg,
} from './algorithms.rules.ts';

/** The answers that a client may have encrypted to a key of its own. `signedBy`: without it the client never gets this answer. */
export const encryptedAnswers = {
  id_token: { alg: 'id_token_encrypted_response_alg', enc: 'id_token_encrypted_response_enc', signedBy: undefined },
  userinfo: { alg: 'userinfo_encrypted_response_alg', enc: 'userinfo_encrypted_response_enc', signedBy: undefined },
  authorization: {
    alg: 'authorization_encrypted_response_alg',
    enc: 'authorization_encrypted_response_enc',
    signedBy: 'authorization_signed_response_alg',
  },
  introspection: {
    alg: 'introspection_encrypted_response_alg',
    enc: 'introspection_encrypted_response_enc',
    signedBy: 'introspection_signed_response_alg',
  },
} as const;
export type EncryptedAnswer = keyof typeof encryptedAnswers;

/** Encrypts to one key of a client. */
export type Encrypt = (plain: string) => Promise<string>;

type Pairs = (typeof encryptedAnswers)[EncryptedAnswer];

/** The fields of a client that say how its answers are encrypted, and its request objects to this server. */
export type EncryptionFields = { readonly [Name in Pairs['alg']]?: KeyEncryptionAlg | undefined } & {
  readonly [Name in Pairs['enc']]?: ContentEncryption | undefined;
} & {
  readonly request_object_encryption_alg?: KeyEncryptionAlg | undefined;
  readonly request_object_encryption_enc?: ContentEncryption | undefined;
};

export interface ChosenEncryption {
  readonly alg: KeyEncryptionAlg;
  readonly enc: ContentEncryption;
}

/** Undefined: the client has not asked for it. */
export function chosenEncryption(client: EncryptionFields, answer: EncryptedAnswer): ChosenEncryption | undefined {
  const names = encryptedAnswers[answer];
  const alg = client[names.alg];
  return alg && { alg, enc: client[names.enc] ?? DEFAULT_CONTENT_ENCRYPTION };
}

/** The keys to encrypt to, the best first: type, `use`, `key_ops` and `alg` agree. Those that say they are for encryption come before others. */
export function encryptionKeysIn(keys: readonly ClientKey[], alg: KeyEncryptionAlg): readonly ClientKey[] {
  const fitting = keys.filter(key => canEncrypt(key, alg));
  return [...fitting.filter(({ use }) => use === 'enc'), ...fitting.filter(({ use }) => use !== 'enc')];
}

const CURVES: readonly unknown[] = ['P-256', 'P-384', 'P-521', 'X25519'];
const OPERATIONS = ['wrapKey', 'encrypt', 'deriveKey', 'deriveBits'];

function canEncrypt({ kty, crv, use, alg: ownAlg, key_ops }: ClientKey, alg: KeyEncryptionAlg): boolean {
  if (use !== undefined && use !== 'enc') return false;
  if (key_ops !== undefined && !OPERATIONS.some(one => key_ops.includes(one))) return false;
  if (ownAlg !== undefined && ownAlg !== alg) return false;
  return isRsa(alg) ? kty === 'RSA' : CURVES.includes(crv);
}

export interface EncryptionEntry extends EncryptionFields {
  readonly jwks?: ClientKeySet | undefined;
  readonly jwks_uri?: string | undefined;
  readonly authorization_signed_response_alg?: string | undefined;
  readonly introspection_signed_response_alg?: string | undefined;
  readonly request_object_signing_alg?: string | undefined;
  readonly require_signed_request_object?: boolean | undefined;
}

/** What does not fit together, by field. */
export function encryptionFaults(entry: EncryptionEntry): [string, string][] {
  const ofAnswers = Object.values(encryptedAnswers).flatMap(({ alg, enc, signedBy }): [string, string][] => {
    const chosen = entry[alg];
    if (chosen === undefined) return entry[enc] === undefined ? [] : [[enc, `needs ${alg}`]];
    if (signedBy !== undefined && entry[signedBy] === undefined) return [[alg, `needs ${signedBy}`]];
    return keyFaults(entry, alg, chosen);
  });
  const { request_object_encryption_alg: alg, request_object_encryption_enc: enc } = entry;
  if (alg === undefined) {
    return enc === undefined
      ? ofAnswers
      : [...ofAnswers, ['request_object_encryption_enc', 'needs request_object_encryption_alg']];
  }
  const isSigned = entry.request_object_signing_alg !== undefined || entry.require_signed_request_object === true;
  return isSigned
    ? ofAnswers
    : [...ofAnswers, ['request_object_encryption_alg', 'needs request_object_signing_alg: the request is signed too']];
}

function keyFaults({ jwks, jwks_uri }: EncryptionEntry, name: string, alg: KeyEncryptionAlg): [string, string][] {
  if (!jwks && jwks_uri === undefined) return [['jwks', `must be set with ${name}, or jwks_uri`]];
  const hasKey = jwks && encryptionKeysIn(jwks.keys, alg).some(key => importKey(bareKey(key)) !== undefined);
  return jwks && !hasKey ? [['jwks', `must have a key for ${alg} (${name})`]] : [];
}
