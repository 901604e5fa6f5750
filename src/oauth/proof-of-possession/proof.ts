import type { Client } from '../../directory/clients/rules.ts';
import type { Headers, Refusal, Request } from '../../platform/http/message.ts';
import type { Services } from '../../services.ts';

/**
 * What a client must show to use an access token: nothing but the token, or possession of a key. Capabilities declare them (`proofs`).
 * binding.ts has what the token endpoint does with it, presented-token.ts what an endpoint does that takes access tokens.
 */
export interface Proof {
  /** The token_type of its access tokens (RFC 6749 section 7.1). */
  readonly tokenType: string;
  /** The Authorization header under which they are presented; its first group is the token. */
  readonly authorization: RegExp;
  /** What its WWW-Authenticate challenge says beside realm and error (RFC 9110 section 11.6.1). */
  readonly challenge?: string | undefined;
  /** Undefined: the token is bound to no key. */
  readonly possession: Possession | undefined;
}

/** How a client shows that it possesses a key. */
export interface Possession {
  /** The member of `cnf` by which a token names the key: the confirmation method (RFC 7800 section 3.1). */
  readonly method: string;
  /** True: to verify it leaves nothing in the store, so that callers who have not authenticated need no limit. */
  readonly storesNothing?: true;
  /**
   * The proof exactly as received: a header, or the certificate of the connection. Undefined: tokens of this request are not
   * bound by it. `client` is undefined while it is not known, and where a token is presented; a client that must bind its tokens and
   * sends no proof has an empty one, which `verify` refuses.
   */
  presented(request: Request, client: Client | undefined): string | undefined;
  /** `accessToken`: the token that the proof must go with; undefined where a token is requested, by `client` if it is known. */
  verify(
    services: Services,
    request: Request,
    presented: string,
    accessToken: string | undefined,
    client?: Client | undefined,
  ): Promise<VerifiedProof>;
}

export type VerifiedProof =
  /** `headers`: for the answer. */
  | { readonly kind: 'proved'; readonly thumbprint: string; readonly headers?: Readonly<Headers> | undefined }
  | ({ readonly kind: 'refused' } & Refusal);
