/** RFC 6749 section 4.1.3 and RFC 7636 section 4.6: may this code be redeemed by this caller? */
export interface CodeFacts {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly codeChallenge: string | undefined;
  /** The client was registered to refuse a verifier alone. */
  readonly clientAuthenticationRequired: boolean;
  readonly expiresAt: number;
  readonly redeemed: boolean;
}

export interface PresentedCode {
  /** The client the caller proved to be, or claims to be by a `client_id` in the body. */
  readonly clientId: string | undefined;
  /** True when a secret was verified, false when only a verifier was sent. */
  readonly clientAuthenticated: boolean;
  readonly redirectUri: string;
  /** Made from the verifier; undefined when none was sent. */
  readonly challenge: string | undefined;
}

export type CodeVerdict =
  | 'redeem'
  /** Used before, and now again by its own client: whatever came from it ends (RFC 6749 section 4.1.2). */
  | 'replayed'
  | 'expired'
  /** Of another client, or used before and now shown by somebody who cannot prove to be its client. */
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

type VerifierVerdict = 'proved' | 'wrong' | 'unexpected' | 'none';

/** Both sides are SHA-256 hashes, so a plain comparison tells an attacker nothing about the verifier. */
function judgeVerifier(expected: string | undefined, presented: string | undefined): VerifierVerdict {
  if (expected === undefined) return presented === undefined ? 'none' : 'unexpected';
  return presented === expected ? 'proved' : 'wrong';
}
