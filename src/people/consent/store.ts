import type { Event } from '../../audit/events/rules.ts';
import type { RequestedClaims } from '../../oauth/authorize/claims-request.rules.ts';
import type { GrantedApi } from '../../oauth/token/granted-api.rules.ts';
import type { Scope } from '../../oauth/token/scope.rules.ts';

export interface Consents {
  /** Adds to what the user agreed to before. Nothing is written where the client was deleted meanwhile. */
  addConsent(
    sub: string,
    app: string,
    clientId: string,
    scope: readonly Scope[],
    now: number,
    event?: Event,
  ): Promise<void>;
  consentsOf(sub: string): Promise<Consent[]>;
  /**
   * The access that clients have to the user's data, with consent or without: each client once for each scope and APIs it was granted. A
   * grant is kept, and listed, for up to a day after its last token has expired.
   */
  grantsOf(sub: string, now: number): Promise<ClientAccess[]>;
  /** Deletes the consent and ends every grant of the client for this user. `event` is written if there was one of either. */
  withdrawConsent(sub: string, app: string, clientId: string, now: number, event?: Event): Promise<void>;
}

export interface Consent {
  readonly app: string;
  readonly clientId: string;
  readonly scope: readonly Scope[];
  readonly givenAt: number;
}

export interface ClientAccess extends ClientGrant {
  /** The beginning of the oldest of these grants. */
  readonly since: number;
  /** The APIs that they cover. Undefined: none. */
  readonly resources?: readonly GrantedApi[] | undefined;
}

export interface ClientGrant {
  readonly app: string;
  readonly clientId: string;
  readonly scope: readonly Scope[];
  readonly claims: RequestedClaims;
}
