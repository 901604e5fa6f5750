import { randomUUID } from 'node:crypto';
import type { SigningPair } from './assertion.ts';
import { aStatement } from './software-statement.ts';

export const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
export const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
export const ID_JAG = 'urn:ietf:params:oauth:token-type:id-jag';
export const ID_TOKEN = 'urn:ietf:params:oauth:token-type:id_token';
export const REFRESH_TOKEN = 'urn:ietf:params:oauth:token-type:refresh_token';

export interface IdentityAssertionParts {
  readonly now: number;
  /** Added, or undefined: left out. */
  readonly claims: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>> | undefined;
}

/** An assertion about a person (ID-JAG), put together by hand: no issuer makes hostile ones. */
export function anIdentityAssertion(signer: SigningPair, { now, claims, header }: IdentityAssertionParts): string {
  const own = { iat: now, exp: now + 300, jti: randomUUID() };
  return aStatement(signer, { ...own, ...claims }, { typ: 'oauth-id-jag+jwt', ...header });
}
