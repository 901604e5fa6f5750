import type { AnyFailureName } from '../../failures.ts';
import type { ExchangePolicy } from '../../oauth/token-exchange/rules.ts';
import type { BodyFault } from '../../platform/http/message.ts';
import type { RefusalFacts } from '../refusals/facts.rules.ts';
import type { UserState } from '../refusals/store.ts';

/** A refused request, as it is stored. It holds no secret: audit/refusals/mask.ts decides what a value may show. */
export interface Snapshot {
  readonly time: number;
  readonly reason: AnyFailureName;
  readonly error: string;
  readonly status: number;
  readonly description: string;
  /** The parameter, method, content type or limit in the description. */
  readonly parameter?: string | undefined;
  /** The value that was refused, such as a scope. */
  readonly detail?: string | undefined;
  readonly retryAfter?: number | undefined;
  readonly client?: string | undefined;
  readonly sub?: string | undefined;
  readonly route?: string | undefined;
  readonly method: string;
  readonly path?: string | undefined;
  readonly allow?: string | undefined;
  readonly faults?: readonly BodyFault[] | undefined;
  readonly received: Received;
  readonly registration?: Registration | undefined;
  readonly application?: ApplicationFacts | undefined;
  readonly facts?: RefusalFacts | undefined;
  readonly found?: Found | undefined;
}

/** What a parameter held. `hidden`: its kind, such as "access token". */
export type Value =
  | { readonly shown: string }
  | {
      readonly hidden: string;
      /** Absent for passwords. */
      readonly length?: number | undefined;
      readonly notes?: readonly string[] | undefined;
      readonly jwt?: JwtFacts | undefined;
    }
  | { readonly fault: 'empty' | 'repeated' | 'malformed' };

/** Of a JWT that was presented, not verified. */
export interface JwtFacts {
  readonly typ?: string | undefined;
  readonly expiresAt?: number | undefined;
  /** The application whose issuer it names; undefined: another server, or none. */
  readonly app?: string | undefined;
}

export interface Parameter {
  readonly value: Value;
  readonly in: 'query' | 'body' | 'both';
}

export interface Received {
  readonly params: Readonly<Record<string, Parameter>>;
  readonly contentType?: string | undefined;
  readonly bodyLength?: number | undefined;
  readonly queryLength?: number | undefined;
  readonly authorization?: Authorization | undefined;
  /** The headers by which a browser names the page that sent a form. */
  readonly origin?: string | undefined;
  readonly site?: string | undefined;
}

/** The Authorization header. */
export interface Authorization {
  readonly scheme: 'Basic' | 'Bearer' | 'DPoP' | 'other';
  readonly fault?: 'encoding' | 'colon' | 'clientId' | 'token' | undefined;
  readonly client?: Value | undefined;
  readonly secret?: Value | undefined;
}

/** The registration of the client when the request was refused. */
export interface Registration {
  readonly grantTypes: readonly string[];
  readonly scope: readonly string[];
  readonly authMethod: string;
  readonly requirePkce: boolean;
  readonly requireClientAuthentication: boolean;
  readonly requireConsent: boolean;
  readonly refreshGrace: number;
  /** The APIs that it is registered for, where that matters. */
  readonly apis?: readonly string[] | undefined;
  /** What it has registered about the answers of /auth, where that matters. */
  readonly answers?: RegisteredAnswers | undefined;
  /** The registered URIs that the received one was compared with, the closest first. */
  readonly uris?: readonly string[];
  /** How many of them are not listed. */
  readonly moreUris?: number;
}

export interface RegisteredAnswers {
  /** The response types that it may use. */
  readonly types: readonly string[];
  /** The setting by which its access tokens are bound. */
  readonly boundBy: string | undefined;
  /** Whether it can have signed responses (JARM). */
  readonly canSign: boolean;
  /** The setting that demands them. */
  readonly signedBy: string | undefined;
}

export interface ApplicationFacts {
  /** Identifiers and scopes of its APIs. */
  readonly apis?: readonly { readonly identifier: string; readonly scopes: readonly string[] }[] | undefined;
  /** The scopes of users' own fields. */
  readonly userScopes?: readonly string[] | undefined;
  /** Of token exchange. */
  readonly policies?: readonly ExchangePolicy[] | undefined;
  /** Whom it admits: groups, roles, and how many users by name. */
  readonly access?: AdmittedFacts | undefined;
  readonly isStrict: boolean;
  readonly refreshTokenTtl: number;
  readonly refreshFamilyTtl: number;
}

export interface AdmittedFacts {
  readonly groups: readonly string[];
  readonly roles: readonly string[];
  readonly users: number;
}

/** What the store knew of the things in the request, a moment after the answer. */
export interface Found {
  readonly code?: FoundCode | 'none' | undefined;
  readonly token?: FoundToken | 'none' | undefined;
  /** When a code or token of this form expires, whether it was ever issued or not. */
  readonly stampedEnd?: number | undefined;
  readonly client?: FoundClient | undefined;
  /** An application with a similar code. */
  readonly similarApplication?: string | undefined;
  readonly user?: UserState | undefined;
}

export interface FoundCode {
  readonly app: string;
  readonly client: string;
  readonly redirectUri: string;
  readonly hasChallenge: boolean;
  /** The caller sent the challenge in the place of the verifier. */
  readonly isChallengeSent: boolean;
  readonly expiresAt: number;
  readonly isRedeemed: boolean;
  readonly redeemedAt?: number | undefined;
  readonly user: UserState;
  readonly isSessionEnded: boolean;
}

export interface FoundToken {
  readonly kind: 'access' | 'refresh';
  readonly app: string;
  readonly client: string;
  readonly scope: string;
  readonly expiresAt: number;
  readonly isRevoked: boolean;
  readonly revokedAt?: number | undefined;
  readonly rotatedAt?: number | undefined;
  readonly familyStartedAt?: number | undefined;
  readonly user: UserState;
}

/** Of a client_id that the application does not have. */
export interface FoundClient {
  /** The applications that have a client of exactly this name. */
  readonly apps: readonly string[];
  /** A client of the application with a similar name. */
  readonly similar?: string | undefined;
  /** The received name; absent if no client has it or a similar one. */
  readonly received?: string | undefined;
}
