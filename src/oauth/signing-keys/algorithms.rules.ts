export const signingAlgs = ['RS256', 'ES256', 'EdDSA'] as const;

export type SigningAlg = (typeof signingAlgs)[number];

/** The default of an application (OpenID Connect Dynamic Client Registration section 2). */
export const DEFAULT_SIGNING_ALG: SigningAlg = 'RS256';
