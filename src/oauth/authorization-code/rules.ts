import { judgeVerifier } from './pkce.rules.ts';

/** RFC 6749 section 4.1.3 and RFC 7636 section 4.6: whether this caller may redeem this code. */
export interface CodeFacts {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly codeChallenge: string | undefined;
  /** The client is registered with require_client_authentication, or an agent: a PKCE verifier alone is not enough. */
  readonly clientAuthenticationRequired: boolean;
  readonly expiresAt: number;
  readonly redeemed: boolean;
}

export interface PresentedCode {
  /** The authenticated client, or the unverified `client_id` in the body. */
  readonly clientId: string | undefined;
  /** True if a client secret was verified, false if only a PKCE verifier was sent. */
  readonly clientAuthenticated: boolean;
  readonly redirectUri: string;
  /** Computed from the verifier; undefined if none was sent. */
  readonly challenge: string | undefined;
}

export type CodeVerdict =
  | 'redeem'
  /** Redeemed before, and sent again by its own client: its token family is revoked (RFC 6749 section 4.1.2). */
  | 'replayed'
  | 'expired'
  /** Issued to another client; or redeemed before, and sent again by a caller that does not prove to be its client. */
  | 'invalid'
  | 'clientAuthenticationRequired'
  | 'redirectUriDiffers'
  | 'verifierWrong'
  | 'verifierUnexpected';

export function judgeCode(code: CodeFacts, presented: PresentedCode, now: number): CodeVerdict {
  if (presented.clientId !== undefined && presented.clientId !== code.clientId) return 'invalid';
  const verifier = judgeVerifier(code.codeChallenge, presented.challenge);
  if (code.redeemed) return presented.clientAuthenticated || verifier === 'proved' ? 'replayed' : 'invalid';
  if (now >= code.expiresAt) return 'expired';
  if (code.clientAuthenticationRequired && !presented.clientAuthenticated) return 'clientAuthenticationRequired';
  if (presented.redirectUri !== code.redirectUri) return 'redirectUriDiffers';
  if (verifier === 'wrong') return 'verifierWrong';
  if (verifier === 'unexpected') return 'verifierUnexpected';
  return 'redeem';
}
