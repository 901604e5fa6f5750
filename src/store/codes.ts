import type { Profile } from '../protocol/claims.ts';
import type { CodeVerdict, PresentedCode } from '../protocol/code-exchange.ts';
import type { GiveOutcome, NewToken, NewTokens, TokenFamily } from './tokens.ts';

export interface NewCode {
  readonly codeHash: Uint8Array;
  readonly grant: TokenFamily;
  readonly redirectUri: string;
  readonly codeChallenge: string | undefined;
  readonly clientAuthenticationRequired: boolean;
  /** Its client has the refresh grant. By a PKCE verifier alone, nothing but the code tells which client that is. */
  readonly withRefresh: boolean;
  readonly nonce: string | undefined;
  readonly expiresAt: number;
}

export type RedeemOutcome =
  | {
      readonly kind: 'redeemed';
      readonly grant: TokenFamily;
      readonly user: Profile;
      readonly nonce: string | undefined;
      /** False: the refresh token was not written, and must not be handed out. */
      readonly withRefresh: boolean;
    }
  /** Never issued by this application. */
  | { readonly kind: 'unknown' }
  /** Nothing was spent. After `replayed` the family of the first redemption is revoked. */
  | { readonly kind: 'refused'; readonly verdict: Exclude<CodeVerdict, 'redeem'> };

export interface Codes {
  addCode(app: string, code: NewCode, receivedAt?: number): Promise<GiveOutcome>;
  /** Exactly one of any number of callers sees `redeemed`; grant and tokens exist when it does. */
  redeemCode(
    app: string,
    codeHash: Uint8Array,
    presented: PresentedCode,
    tokens: NewTokens & { readonly refresh: NewToken },
    receivedAt?: number,
  ): Promise<RedeemOutcome>;
}
