import type { ClientKeySet } from '../../directory/clients/keys.rules.ts';

/** Somebody else who signs JWTs that count here: an operator has registered them. */
export interface TrustedIssuer {
  /** The `iss`, compared exactly. */
  readonly issuer: string;
  /** Its public keys, or where they are. Neither: as its metadata say. */
  readonly jwks?: ClientKeySet | undefined;
  readonly jwks_uri?: string | undefined;
}
