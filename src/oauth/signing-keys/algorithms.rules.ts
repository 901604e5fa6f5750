import { keyEncryptionAlgs } from '../encryption/algorithms.rules.ts';

export const signingAlgs = ['RS256', 'ES256', 'EdDSA'] as const;

export type SigningAlg = (typeof signingAlgs)[number];

/** A key of an application signs, or opens what clients encrypt to it. */
export const keyAlgs = [...signingAlgs, ...keyEncryptionAlgs] as const;
export type KeyAlg = (typeof keyAlgs)[number];

/** The default of an application (OpenID Connect Dynamic Client Registration section 2). */
export const DEFAULT_SIGNING_ALG: SigningAlg = 'RS256';
