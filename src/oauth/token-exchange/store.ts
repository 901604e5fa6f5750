import type { Event } from '../../audit/events/rules.ts';
import type { Scope } from '../token/scope.rules.ts';
import type { NewToken } from '../token/store.ts';
import type { ExchangeFacts } from './rules.ts';

/** The token that another one is exchanged for (RFC 8693). Its subject, login and grant are those of the other one. */
export interface ExchangedToken extends NewToken {
  readonly clientId: string;
  readonly audience: string;
  readonly scope: readonly Scope[];
  readonly issuedAt: number;
  readonly exchange: ExchangeFacts;
}

/**
 * `subjectGone`: the subject token has ended, or ends before the new one would; or its user is gone or disabled; or it acts for a client
 * whose client_id is the `sub` of a user, who could be taken for the subject. Nothing is written then.
 */
export type ExchangeOutcome = 'issued' | 'clientGone' | 'subjectGone';

export interface TokenExchanges {
  /** The new token ends with the grant of the subject token, with the subject token if that is revoked, and with its client. */
  addExchangedToken(
    app: string,
    subjectHash: Uint8Array,
    token: ExchangedToken,
    event?: Event,
  ): Promise<ExchangeOutcome>;
}
