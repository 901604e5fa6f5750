/**
 * What Gatehouse remembers, in the words of its domain.
 *
 * Promises every store keeps, and test/store/contract holds it to:
 * - What must be atomic is one operation, and its outcome is a value. Only a fault of the infrastructure throws, as
 *   StoreUnavailable. After an acknowledged write, a crash does not lose it, and every read that begins in a later turn of
 *   the event loop shows it, in any process.
 * - Every operation on clients, codes, grants and tokens takes the application; nothing is found across applications.
 * - Secrets arrive hashed, behind the time of their end (credentials.ts). Time arrives as an argument, in whole seconds; the store has no clock and no policy:
 *   whether a code or a refresh token is good is decided by protocol/code-exchange.ts and protocol/refresh-policy.ts.
 * - What a request asks for takes `receivedAt`, by performance.now(): its time (DATABASE_TIMEOUT) counts from then, over all the
 *   operations of the request. Without it, as in jobs and commands, it counts from the start of the operation.
 * - Sessions, codes and grants of a user end with the write that disables the user or changes their password, for every
 *   look-up from the moment it is acknowledged, and do not come back when the user is enabled again. A login that proved the
 *   former password gets nothing, however late it arrives.
 */
import type { Profile } from '../protocol/claims.ts';
import type { RequestedClaims } from '../protocol/claims-request.ts';
import type { Application, Client, SigningAlg } from '../protocol/client.ts';
import type { CodeVerdict, PresentedCode } from '../protocol/code-exchange.ts';
import type { PresentedRefresh, RefreshVerdict } from '../protocol/refresh-policy.ts';
import type { Scope } from '../protocol/scope.ts';

/** The store cannot serve: unreachable, full, read-only, or busy for too long. Becomes 503 with Retry-After. */
export class StoreUnavailable extends Error {
  override readonly name: string = 'StoreUnavailable';
}

/** Waiting does not help: it refuses us, is damaged, or belongs to a newer release. */
export class StoreUnusable extends StoreUnavailable {
  override readonly name: string = 'StoreUnusable';
}

/** DATABASE_URL is at fault, and not the database. */
export class StoreMisconfigured extends StoreUnusable {
  override readonly name = 'StoreMisconfigured';
}

export interface Store extends Registry, SigningKeys, Accounts, Sessions, Consents, Tokens, Deliveries {
  /** Deletes some of what ended before `now`, at most about `limit` rows of each kind at a time. */
  purge(now: number, limit: number): Promise<PurgeOutcome>;
  /** When a purge, by whichever process, last left nothing to delete. */
  lastCompletePurge(): Promise<number>;
  /** Resolves when the database can be read and written and has the schema this release needs, else throws why not. */
  check(): Promise<void>;
  /** How busy the way to the database is, for the metrics. */
  load(): StoreLoad;
  /** Where many machines share a database, its time is the time for them all. Undefined: the system's. */
  readonly clock: StoreClock | undefined;
  close(): Promise<void>;
}

export interface PurgeOutcome {
  readonly deleted: number;
  /** Nothing that has ended is left. False also while another process purges. */
  readonly complete: boolean;
  /** Tables that somebody else reads for long, as a backup does: they are dropped the next time. */
  readonly postponed: readonly string[];
}

export interface StoreLoad {
  readonly connections: number;
  /** Operations that were sent and not yet answered. */
  readonly running: number;
  /** Operations that wait for a connection, or for their turn to be written. */
  readonly waiting: number;
}

export interface StoreClock {
  /** Whole seconds since the Unix epoch. */
  now(): number;
}

// Applications, clients and keys: read through the cache of applications/registry.ts

export interface Registry {
  findApplication(code: string, receivedAt?: number): Promise<Application | undefined>;
  findClient(app: string, clientId: string, receivedAt?: number): Promise<Client | undefined>;
  /** Whether a client of the application has a redirect address with this web origin (for CORS). */
  isClientOrigin(app: string, origin: string, receivedAt?: number): Promise<boolean>;
  /** Grows with every change to applications, clients, keys or users by any process. */
  registryVersion(): Promise<number>;
  /** Calls soon after any process changed one of these. A call that got lost is made good by looking at the version. */
  onRegistryChange(listener: () => void): void;
  /** All or nothing. `loginTaken`: a login name belongs to another user; nothing was written. `dryRun` only looks. */
  provision(changes: readonly Provision[], dryRun?: boolean): Promise<ProvisionOutcome>;
  /** By name, for commands. */
  clientsOf(app: string): Promise<Client[]>;
  /** The client goes with everything it was given: its grants and codes end. False: there was none. */
  deleteClient(app: string, clientId: string, now: number): Promise<boolean>;
  isEmpty(): Promise<boolean>;
  /** Which secrets of the server the signing keys and client secrets were made with: each begins with the id of its own. */
  secretsInUse(): Promise<SecretUse[]>;
  /** All applications, for jobs and commands that visit each. */
  applicationCodes(): Promise<string[]>;
}

export interface SigningKeys {
  /** In the order in which they sign. */
  signingKeys(app: string): Promise<SealedKey[]>;
  /** What its clients sign with (`signingAlgOf`), and its default. */
  signingAlgs(app: string): Promise<SigningAlg[]>;
  /** What a client of any application signs with although there is no key for it, retired ones not counted. */
  missingKeys(): Promise<MissingKey[]>;
  /** Adds the key if `after` is the newest of its algorithm (undefined: there is none that has not retired); else another was faster. */
  addSigningKey(key: SealedKey, after: string | undefined): Promise<void>;
  /** Once for each key, before its first signature is given away. Everybody reads the keys again if its algorithm is not in use. */
  noteKeySigned(app: string, kid: string): Promise<void>;
  /** Marks the keys of every algorithm that is not among `signingAlgs` at the moment of the write. */
  retireUnusedKeys(app: string, now: number): Promise<void>;
  /** The keys go, and in the same write the others take their place. */
  dropSigningKeys(app: string, kids: readonly string[], replacements?: readonly SealedKey[]): Promise<void>;
}

export interface SecretUse {
  /** In hexadecimal (keys/key-ring.ts). */
  readonly id: string;
  readonly signingKeys: number;
  readonly clientSecrets: number;
}

export type Provision =
  | { readonly kind: 'application'; readonly application: Application }
  | { readonly kind: 'client'; readonly app: string; readonly client: Client }
  /** Added if there is none of its algorithm, retired ones not counted. */
  | { readonly kind: 'signingKey'; readonly key: SealedKey }
  | {
      readonly kind: 'user';
      readonly account: Account;
      readonly loginNames: readonly string[];
      /** The stored hash stays, whatever `account` says: it may have been replaced since the account was read. */
      readonly keepPassword?: boolean;
    };

export type ProvisionOutcome = { readonly kind: 'done' } | { readonly kind: 'loginTaken'; readonly loginName: string };

export interface SealedKey {
  readonly app: string;
  readonly kid: string;
  readonly alg: SigningAlg;
  readonly publicJwk: string;
  readonly sealedPrivateKey: Uint8Array;
  readonly createdAt: number;
  readonly signFrom: number;
  readonly retiredAt: number | undefined;
  readonly hasSigned: boolean;
}

export interface MissingKey {
  readonly app: string;
  readonly alg: SigningAlg;
}

// People

export interface Account extends Profile {
  readonly passwordHash: string | undefined;
  readonly disabled: boolean;
}

export interface Accounts {
  /** By user name, e-mail or telephone number: one name space, already normalised. */
  findAccount(loginName: string, receivedAt?: number): Promise<Account | undefined>;
  /** The password hash of the first user whose `sub` is not before this point, or of the first of all. */
  passwordHashFrom(point: string, receivedAt?: number): Promise<string | undefined>;
  /** Another hash of the same password: ends nothing. False: the present hash is not `from` any more, and stays. */
  replacePasswordHash(sub: string, from: string, to: string, receivedAt?: number): Promise<boolean>;
}

export interface NewSession {
  readonly idHash: Uint8Array;
  /** The public name of the session in ID tokens (OIDC Back-Channel Logout section 2.1). */
  readonly sid: string;
  readonly sub: string;
  readonly authTime: number;
  readonly amr: readonly string[];
  /** The pending request whose login page opened it; a second session for the same one is refused. */
  readonly openedBy: string;
  /** The stored hash that the password was right for; undefined: the login was by other means. */
  readonly passwordHash: string | undefined;
  readonly idleExpiresAt: number;
  readonly expiresAt: number;
  /** The session this browser had before: it ends with the new one's beginning. */
  readonly replaces: Uint8Array | undefined;
}

/** Which client's remembered consent to bring along with a session. */
export interface ConsentKey {
  readonly app: string;
  readonly clientId: string;
}

export interface ListedSession {
  readonly sid: string;
  readonly authTime: number;
  readonly idleExpiresAt: number;
  readonly expiresAt: number;
}

export interface LiveSession {
  readonly sid: string;
  readonly authTime: number;
  readonly amr: readonly string[];
  readonly openedBy: string;
  readonly user: Profile;
  /** Of the client that was asked about. */
  readonly consented: readonly Scope[];
}

export interface Sessions {
  /**
   * The same user signing in again goes on with the same `sid`, so that nobody is logged out of their clients by it;
   * another user's session ends as by `endSession`.
   */
  openSession(session: NewSession, now: number, receivedAt?: number): Promise<'opened' | 'replayed'>;
  /** Undefined when unknown, ended, idle for too long, or of a disabled user. Prolongs the idle time. */
  useSession(
    idHash: Uint8Array,
    now: number,
    idleExpiresAt: number,
    consentOf?: ConsentKey,
    receivedAt?: number,
  ): Promise<LiveSession | undefined>;
  sessionsOf(sub: string, now: number, receivedAt?: number): Promise<ListedSession[]>;
  /** Ends the session and the grants that came from it, and queues a notice to every client that took part in it. */
  endSession(which: SessionKey, now: number, receivedAt?: number): Promise<void>;
  /** Ends every session of the user as `endSession` does, and every code and grant, also those without a session. */
  endUserAccess(sub: string, now: number): Promise<void>;
  /** A client took part in the session although it got no code or token (an ID token alone). */
  noteSessionClient(app: string, clientId: string, sid: string, receivedAt?: number): Promise<GiveOutcome>;
}

export type SessionKey = { readonly idHash: Uint8Array } | { readonly sub: string; readonly sid: string };

export interface Consents {
  /** Adds to what the user agreed to before. */
  addConsent(
    sub: string,
    app: string,
    clientId: string,
    scope: readonly Scope[],
    now: number,
    receivedAt?: number,
  ): Promise<void>;
  consentsOf(sub: string, receivedAt?: number): Promise<Consent[]>;
  /**
   * What clients hold of the user's, asked for consent or not; each client once for each scope it was granted. A grant is kept,
   * and listed, for up to a day after its last token has expired.
   */
  grantsOf(sub: string, now: number, receivedAt?: number): Promise<ClientGrant[]>;
  /** Forgets the consent and ends every grant of the client for this user. */
  withdrawConsent(sub: string, app: string, clientId: string, now: number, receivedAt?: number): Promise<void>;
}

export interface Consent {
  readonly app: string;
  readonly clientId: string;
  readonly scope: readonly Scope[];
  readonly givenAt: number;
}

export interface ClientGrant {
  readonly app: string;
  readonly clientId: string;
  readonly scope: readonly Scope[];
  readonly claims: RequestedClaims;
}

/** Back-channel logout notices that still have to reach a client. */
export interface LogoutNotice {
  readonly id: string;
  readonly app: string;
  readonly clientId: string;
  readonly sub: string;
  readonly sid: string;
  readonly attempts: number;
}

export interface Deliveries {
  /** Takes due notices for this caller alone: nobody else gets them before `leaseUntil`. */
  takeLogoutNotices(now: number, leaseUntil: number, limit: number): Promise<LogoutNotice[]>;
  finishLogoutNotice(id: string): Promise<void>;
  postponeLogoutNotice(id: string, dueAt: number): Promise<void>;
}

// Codes, grants and tokens

/** What the user agreed to, at one login, for one client. All tokens that come from it form a family. */
export interface Grant {
  readonly clientId: string;
  readonly sub: string;
  readonly scope: readonly Scope[];
  readonly authTime: number;
  readonly amr: readonly string[];
  readonly sid: string | undefined;
  /** Asked for one by one (OIDC Core section 5.5). */
  readonly claims: RequestedClaims;
}

export interface NewCode {
  readonly codeHash: Uint8Array;
  readonly grant: Grant;
  readonly redirectUri: string;
  readonly codeChallenge: string | undefined;
  readonly clientAuthenticationRequired: boolean;
  /** Its client has the refresh grant. By a PKCE verifier alone, nothing but the code tells which client that is. */
  readonly withRefresh: boolean;
  readonly nonce: string | undefined;
  readonly expiresAt: number;
}

export interface NewToken {
  readonly hash: Uint8Array;
  readonly expiresAt: number;
}

export interface NewTokens {
  readonly grantId: string;
  readonly issuedAt: number;
  readonly access: NewToken;
  /** The implicit flow has none. */
  readonly refresh: NewToken | undefined;
}

/**
 * A client that was deleted since it was looked at is given nothing. A user who was disabled or got another password
 * meanwhile, or a session that ended, is no outcome: what is handed out is dead on arrival.
 */
export type GiveOutcome = 'given' | 'clientGone';

export type RedeemOutcome =
  | {
      readonly kind: 'redeemed';
      readonly grant: Grant;
      readonly user: Profile;
      readonly nonce: string | undefined;
      /** False: the refresh token was not written, and must not be handed out. */
      readonly withRefresh: boolean;
    }
  /** Never issued by this application. */
  | { readonly kind: 'unknown' }
  /** Nothing was spent. After `replayed` the family of the first redemption is revoked. */
  | { readonly kind: 'refused'; readonly verdict: Exclude<CodeVerdict, 'redeem'> };

export interface Rotation {
  readonly tokenHash: Uint8Array;
  readonly presented: PresentedRefresh;
  readonly issuedAt: number;
  readonly access: NewToken;
  /** The successor under each server secret, newest first: the first is written, any may be found again. */
  readonly successors: readonly Uint8Array[];
  /** Unless the family ends before. */
  readonly successorExpiresAt: number;
  /** Whether the ID token says who the user is, beside what the grant asks for one by one. */
  readonly withUser: boolean;
}

/** `user` comes along `withUser`, and where the grant asks for single claims; it is not read otherwise. */
export type RotateOutcome =
  | {
      /** `repeated`: it was rotated before, and this is the successor of then. */
      readonly kind: 'rotated' | 'repeated';
      readonly grant: Grant;
      readonly user: Profile | undefined;
      readonly successor: Uint8Array;
    }
  /** Rotation is off: the presented token stays. */
  | { readonly kind: 'kept'; readonly grant: Grant; readonly user: Profile | undefined }
  /** The family is revoked. `sub`: whose it was. */
  | { readonly kind: 'reused'; readonly sub: string }
  /** Nothing was spent. `granted`: what the token is good for. */
  | { readonly kind: 'scopeWider'; readonly granted: readonly Scope[] }
  | { readonly kind: 'refused'; readonly verdict: Extract<RefreshVerdict, 'invalid' | 'expired'> };

export interface LiveToken {
  readonly clientId: string;
  readonly sub: string;
  /** In words, as RFC 6749 section 3.3 writes it. */
  readonly scope: string;
  readonly issuedAt: number;
  readonly expiresAt: number;
}

/** A refresh token that was not rotated, and when its family began: no token of a family outlives refresh_family_ttl. */
export interface LiveRefreshToken extends LiveToken {
  readonly familyStartedAt: number;
}

export interface TokenUser {
  readonly token: LiveToken;
  readonly user: Profile;
  readonly claims: RequestedClaims;
}

export interface Tokens {
  addCode(app: string, code: NewCode, receivedAt?: number): Promise<GiveOutcome>;
  /** Exactly one of any number of callers sees `redeemed`; grant and tokens exist when it does. */
  redeemCode(
    app: string,
    codeHash: Uint8Array,
    presented: PresentedCode,
    tokens: NewTokens & { readonly refresh: NewToken },
    receivedAt?: number,
  ): Promise<RedeemOutcome>;
  /** Tokens without a code: the implicit flow, and the password grant with the stored hash that the password was right for. */
  addGrant(
    app: string,
    grant: Grant,
    tokens: NewTokens,
    passwordHash?: string,
    receivedAt?: number,
  ): Promise<GiveOutcome>;
  /** Of callers that race, or retry within the grace period, one sees `rotated` and the others `repeated`, all with its successor. */
  rotateRefreshToken(app: string, rotation: Rotation, receivedAt?: number): Promise<RotateOutcome>;
  /** `askedBy`: the client that wants to know. One that was deleted since it proved itself is told nothing. */
  findAccessToken(
    app: string,
    hash: Uint8Array,
    now: number,
    askedBy?: string,
    receivedAt?: number,
  ): Promise<LiveToken | undefined>;
  /** Undefined also for a rotated token, grace or not. */
  findRefreshToken(
    app: string,
    hash: Uint8Array,
    now: number,
    askedBy?: string,
    receivedAt?: number,
  ): Promise<LiveRefreshToken | undefined>;
  findTokenUser(app: string, accessHash: Uint8Array, now: number, receivedAt?: number): Promise<TokenUser | undefined>;
  /** RFC 7009: an access token goes alone, a refresh token takes its family along. Only its own client may. */
  revokeAccessToken(app: string, hash: Uint8Array, clientId: string, receivedAt?: number): Promise<void>;
  revokeRefreshToken(app: string, hash: Uint8Array, clientId: string, now: number, receivedAt?: number): Promise<void>;
}
