import type { Event } from '../../audit/events/rules.ts';
import type { Profile } from '../../directory/users/claims.rules.ts';
import type { AccessRefusal, IssueOutcome, NewToken, NewTokens, RequestedTarget, TokenFamily } from '../token/store.ts';
import type { CodeVerdict, PresentedCode } from './rules.ts';

export interface NewCode {
  readonly codeHash: Uint8Array;
  readonly family: TokenFamily;
  readonly redirectUri: string;
  readonly codeChallenge: string | undefined;
  readonly clientAuthenticationRequired: boolean;
  /**
   * Whether its client has the refresh grant. Stored with the code, because by a PKCE verifier alone only the code names the
   * client.
   */
  readonly withRefresh: boolean;
  readonly nonce: string | undefined;
  readonly expiresAt: number;
}

export type RedeemOutcome =
  | {
      readonly kind: 'redeemed';
      readonly family: TokenFamily;
      readonly user: Profile;
      readonly nonce: string | undefined;
      /** False: the refresh token was not written, and must not be sent to the client. */
      readonly withRefresh: boolean;
    }
  /** Never issued by this application. */
  | { readonly kind: 'unknown' }
  /** The code was not redeemed. After `replayed` the family of the first redemption is revoked. */
  | { readonly kind: 'refused'; readonly verdict: Exclude<CodeVerdict, 'redeem'> | AccessRefusal };

export interface Codes {
  addCode(app: string, code: NewCode): Promise<IssueOutcome>;
  /**
   * Exactly one of any number of calls returns `redeemed`; its token family and tokens then exist. `replayed` makes the event of a
   * replay that revokes the family of the first redemption; it is not called for later replays, which change nothing.
   */
  redeemCode(
    app: string,
    codeHash: Uint8Array,
    presented: PresentedCode,
    tokens: NewTokens & { readonly refresh: NewToken; readonly target?: RequestedTarget | undefined },
    replayed?: (family: TokenFamily) => Event,
  ): Promise<RedeemOutcome>;
}
