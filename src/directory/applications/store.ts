import type { AlreadyAnswered, Change } from '../../audit/acts/store.ts';
import type { SealedKey } from '../../oauth/signing-keys/store.ts';
import type { PageAfter } from '../../operators/roles/store.ts';
import type { Client } from '../clients/rules.ts';
import type { Application, ApplicationSettings } from './rules.ts';

/** A deleted application is found by no other operation than these; its data is kept until the purge removes it. */
export interface StoredApplication {
  /** A list leaves the logos out. */
  readonly application: ApplicationSettings;
  readonly deletedAt: number | undefined;
}

/** `keys`: added where the application has none of their algorithm. */
export interface ApplicationWrite extends StoredApplication {
  readonly keys: readonly SealedKey[];
}

export type ClientWrite =
  | { readonly kind: 'put'; readonly client: Client; readonly keys: readonly SealedKey[] }
  /** Ends its grants and codes too. */
  | { readonly kind: 'delete'; readonly now: number };

export interface ApplicationPage extends PageAfter {
  /** Only these; undefined: all. */
  readonly among: readonly string[] | undefined;
  readonly deleted: boolean;
  /** Only those whose code or name has this text, in upper or lower case. */
  readonly search?: string | undefined;
}

export interface Applications {
  findApplication(code: string): Promise<Application | undefined>;
  /** The logo as a data: URI. */
  findLogo(app: string): Promise<string | undefined>;
  findClient(app: string, clientId: string): Promise<Client | undefined>;
  /** Whether a client of the application has a redirect address with this web origin (for CORS). */
  isClientOrigin(app: string, origin: string): Promise<boolean>;
  /** Grows with every change to applications, clients, keys or users by any process. */
  registryVersion(): Promise<number>;
  /** Calls the listener soon after any process changed one of these. A call may get lost, so callers also poll the version. */
  onRegistryChange(listener: () => void): void;
  /** By name, for commands. */
  clientsOf(app: string): Promise<Client[]>;
  /** Deletes the client and ends its grants and codes. False: there is no such client. */
  deleteClient(app: string, clientId: string, now: number): Promise<boolean>;
  isEmpty(): Promise<boolean>;
  /** Which secrets of the server are in use: each signing key, client secret, webhook secret, secret of a provider and TOTP key begins with the id of its server secret. */
  secretsInUse(): Promise<SecretUse[]>;
  findStoredApplication(code: string): Promise<StoredApplication | undefined>;
  listApplications(page: ApplicationPage): Promise<StoredApplication[]>;
  changeApplication<R>(
    code: string,
    decide: (current: StoredApplication | undefined) => Change<ApplicationWrite, R>,
  ): Promise<R | AlreadyAnswered>;
  /** Removes the applications that were deleted before `time`, with everything they own but their events. Returns their codes. */
  removeDeletedApplications(time: number): Promise<string[]>;
  listClients(app: string, page: PageAfter): Promise<Client[]>;
  /** The clients of every application whose identifier or name has a text, in the order of their identifiers. Reads all of them. */
  searchClients(search: ClientSearch): Promise<FoundClient[]>;
  /** `decide` gets undefined as well where the application is not there or deleted: a caller checks that before. */
  changeClient<R>(
    app: string,
    clientId: string,
    decide: (current: Client | undefined) => Change<ClientWrite, R>,
  ): Promise<R | AlreadyAnswered>;
  /** Whether an application admits a user by this login name, in its `access`. A deleted one counts: it can be restored. */
  isNamedInAccess(loginName: string): Promise<boolean>;
  /** All applications, for jobs and commands that visit each. */
  applicationCodes(): Promise<string[]>;
}

export interface ClientSearch {
  readonly text: string;
  /** Of these applications alone. */
  readonly among: readonly string[] | undefined;
  readonly limit: number;
}

export interface FoundClient {
  readonly app: string;
  readonly client: Client;
}

export interface SecretUse {
  /** In hexadecimal (platform/crypto/key-ring.ts). */
  readonly id: string;
  readonly signingKeys: number;
  readonly clientSecrets: number;
  readonly webhookSecrets: number;
  readonly providerSecrets: number;
  readonly totpKeys: number;
}
