import type { AlreadyAnswered, Change } from '../../audit/acts/store.ts';
import type { Event } from '../../audit/events/rules.ts';
import type { Client } from '../../directory/clients/rules.ts';
import type { PageAfter } from '../../operators/roles/store.ts';

/** Clients that no operator has set (`origin` of a client): when they came, and when a user last agreed to one of their requests. */
export interface ClientRegistrations {
  /**
   * A user agrees to a request of the client. One of a document gets its row with the first user, so that requests of strangers write
   * nothing. `full`: the application has `maxClients` such clients, and this one is none of them.
   */
  noteClientUse(app: string, client: Client, use: ClientUse): Promise<'noted' | 'full'>;
  /** `full`: the application has so many such clients, also after those were deleted, each with its event, that nobody has used since `unusedSince`. */
  registerClient(app: string, registration: NewRegistration): Promise<'registered' | 'full'>;
  findRegistration(app: string, clientId: string): Promise<ClientRegistration | undefined>;
  /**
   * Deletes clients that no user has agreed to since `before`, and that have no live grant. Each with its event. Returns how many.
   */
  removeUnusedClients(
    before: number,
    now: number,
    limit: number,
    event: (app: string, clientId: string) => Event,
  ): Promise<number>;
  listInitialAccessTokens(app: string, page: PageAfter): Promise<InitialAccessToken[]>;
  /** Undefined: there is no such token, or it has expired. */
  findInitialAccessToken(app: string, hash: Uint8Array, now: number): Promise<InitialAccessToken | undefined>;
  /** `write` of null deletes it. */
  changeInitialAccessToken<R>(
    app: string,
    id: string,
    decide: (current: InitialAccessToken | undefined) => Change<NewInitialAccessToken | null, R>,
  ): Promise<R | AlreadyAnswered>;
}

export interface ClientUse {
  readonly now: number;
  readonly maxClients: number;
  /** Of a client that gets its row with this use. */
  readonly created: Event;
}

export interface NewRegistration {
  readonly client: Client;
  /** Of the registration access token (RFC 7592). */
  readonly tokenHash: Uint8Array;
  readonly createdAt: number;
  readonly maxClients: number;
  readonly unusedSince: number;
  readonly event: Event;
  /** Of each client that makes room. */
  readonly deleted: (app: string, clientId: string) => Event;
}

export interface ClientRegistration {
  /** Undefined: the client publishes its metadata itself. */
  readonly tokenHash: Uint8Array | undefined;
  readonly createdAt: number;
  /** Undefined: no user has agreed to a request of it. */
  readonly usedAt: number | undefined;
}

/** RFC 7591 section 1.2: lets its holder register clients. Only its hash is stored. */
export interface InitialAccessToken {
  readonly id: string;
  readonly name: string;
  readonly createdAt: number;
  readonly expiresAt: number | undefined;
}

export interface NewInitialAccessToken extends InitialAccessToken {
  readonly hash: Uint8Array;
}
