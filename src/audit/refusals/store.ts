/**
 * Refused requests, for `explain`. Writing happens after the answer, in batches (recorder.ts). The descriptions of
 * credentials are for the explanation alone: no request is decided by them, so they find those of every application.
 */
export interface StoredRefusal {
  readonly requestId: string;
  /** Empty: of no application that exists. */
  readonly app: string;
  readonly time: number;
  /** The row of the catalogue (failures.ts). */
  readonly reason: string;
  /** JSON, with every secret masked. */
  readonly data: string;
}

/** Which refusals a list has; a field that is not set does not restrict it. */
export interface RefusalFilter {
  /** Codes of applications; '' for the requests of none. */
  readonly apps?: readonly string[] | undefined;
  readonly reason?: string | undefined;
}

/** The last refusal of the page before. */
export type RefusalPlace = Pick<StoredRefusal, 'time' | 'requestId'>;

/** `none`: the token acts for its client. */
export type UserState = 'enabled' | 'disabled' | 'deleted' | 'none';

export interface CodeDescription {
  readonly app: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly codeChallenge: string | undefined;
  /** 0: it was revoked before it was redeemed. */
  readonly expiresAt: number;
  readonly isRedeemed: boolean;
  /** Undefined also for a code that was redeemed so long ago that its grant is deleted. */
  readonly redeemedAt: number | undefined;
  readonly user: UserState;
  readonly isSessionEnded: boolean;
}

export interface TokenDescription {
  readonly app: string;
  readonly clientId: string;
  readonly scope: string;
  readonly expiresAt: number;
  readonly isRevoked: boolean;
  readonly revokedAt: number | undefined;
  readonly user: UserState;
}

export interface RefreshTokenDescription extends TokenDescription {
  readonly rotatedAt: number | undefined;
  readonly familyStartedAt: number;
}

export interface Refusals {
  /**
   * Writes the refusals of each application and minute until there are `perMinute`, those of other processes included. Returns how
   * many it wrote.
   */
  addRefusals(refusals: readonly StoredRefusal[], perMinute: number): Promise<number>;
  /** Deletes all but the newest `keep` of an application. */
  trimRefusals(app: string, keep: number): Promise<void>;
  findRefusal(requestId: string): Promise<StoredRefusal | undefined>;

  /** Newest first. */
  listRefusals(
    filter: RefusalFilter,
    page: { readonly after: RefusalPlace | undefined; readonly limit: number },
  ): Promise<StoredRefusal[]>;

  describeCode(codeHash: Uint8Array): Promise<CodeDescription | undefined>;
  describeAccessToken(hash: Uint8Array): Promise<TokenDescription | undefined>;
  describeRefreshToken(hash: Uint8Array): Promise<RefreshTokenDescription | undefined>;
  describeUser(sub: string): Promise<UserState>;
  /** The applications that have a client of this name. */
  applicationsWithClient(clientId: string): Promise<readonly string[]>;
  clientIds(app: string, limit: number): Promise<readonly string[]>;
}
