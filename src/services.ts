import type { Recorder } from './audit/events/recorder.ts';
import type { RefusalRecorder } from './audit/refusals/recorder.ts';
import type { StatisticsRecorder } from './audit/statistics/statistics.ts';
import type { Load } from './capability.ts';
import type { RegistryCache } from './directory/applications/registry.ts';
import type { Application } from './directory/applications/rules.ts';
import type { ClientDocument } from './directory/client-id-metadata/client-document.ts';
import type { ByOrigin } from './directory/clients/by-origin.ts';
import type { FieldControl } from './directory/fields/form.console.ts';
import type { Fields } from './directory/fields/sum.fields.ts';
import type { Events } from './events.ts';
import type { Failures } from './failures.ts';
import type { DeferredMails } from './notify/mail/queue.ts';
import type { KeySets } from './oauth/client-authentication/jwt-verifier.ts';
import type { Encryption } from './oauth/encryption/encryption.ts';
import type { Subjects } from './oauth/pairwise/subjects.ts';
import type { Proof } from './oauth/proof-of-possession/proof.ts';
import type { ListedAddresses } from './oauth/registration/sector-document.ts';
import type { Signer } from './oauth/signing-keys/signer.ts';
import type { GrantHandler } from './oauth/token/grant.ts';
import type { GrantTypes } from './oauth/token/grant-types.rules.ts';
import type { OperationTable } from './operators/api/operation-table.ts';
import type { Place } from './operators/console-frame/page.ts';
import type { ConsoleSearch } from './operators/console-frame/search.ts';
import type { ProviderConnections } from './people/federation/connections.ts';
import type { Connector } from './people/federation/connector.ts';
import type { ProviderHealth } from './people/federation/health.ts';
import type { PasswordChecker } from './people/federation/password-checker.ts';
import type { AccountServices } from './people/password/authenticate.ts';
import type { NewPasswords } from './people/password/new-passwords.ts';
import type { PasswordCost } from './people/password/passwords.ts';
import type { IdentityProvider } from './people/saml/metadata.rules.ts';
import type { PendingRequests } from './people/sign-in/pending-request.ts';
import type { LoadedStep } from './people/sign-in/visit.ts';
import type { BoundedCache } from './platform/bounded-cache.ts';
import type { Config } from './platform/config/config.ts';
import type { GenerateKeyPair } from './platform/crypto/key-pair.ts';
import type { KeyRing } from './platform/crypto/key-ring.ts';
import type { Clock, Random } from './platform/deps.ts';
import type { CookieJar } from './platform/http/cookies.ts';
import type { Answer, Request } from './platform/http/message.ts';
import type { Route } from './platform/http/route.ts';
import type { Job, WaitingGauge } from './platform/jobs/job.ts';
import type { Metrics } from './platform/observe/instruments.ts';
import type { Log } from './platform/observe/log.ts';
import type { Readiness } from './platform/observe/readiness.ts';
import type { DocumentCache } from './platform/outbound/document-cache.ts';
import type { StoreTables } from './platform/store/table.ts';
import type { Tracing } from './platform/telemetry/tracing.ts';
import type { Throttle } from './platform/throttle/throttle.ts';
import type { Store } from './store.ts';

/** The dependencies that a test can replace. */
export interface Deps {
  readonly config: Config;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly store: Store;
}

/** What endpoints and pages use: the dependencies, and the services that assembly/services.ts builds on them. */
export interface Services extends Deps, AccountServices {
  readonly ring: KeyRing;
  readonly newPasswords: NewPasswords;
  readonly generateKeyPair: GenerateKeyPair;
  readonly signer: Signer;
  readonly subjects: Subjects;
  readonly keySets: ByOrigin<KeySets>;
  /** Of issuers that operators trust. Apart from those of clients, of which strangers register as many as they like. */
  readonly issuerKeySets: KeySets;
  readonly encryption: Encryption;
  /** What clients publish whose client_id is an address (directory/client-id-metadata/find-client.ts). */
  readonly clientDocuments: DocumentCache<ClientDocument>;
  /** Request objects that clients publish, by address without its fragment (oauth/jar/fetch-request.ts). */
  readonly requestDocuments: ByOrigin<DocumentCache<string>>;
  /** What sector_identifier_uri leads to, of clients that register themselves (oauth/registration/sector-document.ts). */
  readonly sectorDocuments: DocumentCache<ListedAddresses>;
  /** The logos of clients as data: URIs, by logo_uri (people/consent/about-client.html.ts). */
  readonly clientLogos: DocumentCache<string>;
  /** The metadata of identity providers, by issuer (people/openid-connect). */
  readonly providerMetadata: DocumentCache<Readonly<Record<string, unknown>>>;
  /** The same of those that speak SAML, by metadata_url (people/saml). */
  readonly samlMetadata: DocumentCache<IdentityProvider>;
  readonly providerHealth: ProviderHealth;
  readonly providerConnections: ProviderConnections;
  /** When a provider was asked last whether somebody is still there (people/federation/recheck.ts). */
  readonly recheckedPeople: BoundedCache<string, number>;
  readonly registry: RegistryCache;
  readonly cookies: CookieJar;
  readonly pending: PendingRequests;
  readonly readiness: Readiness;
  readonly refusals: RefusalRecorder;
  readonly recorder: Recorder;
  readonly statistics: StatisticsRecorder;
  /** Undefined: nothing is traced. */
  readonly tracing: Tracing | undefined;
  /** What the capabilities declare. */
  readonly tables: Tables;
}

/** What all capabilities declare together. assembly/tables.ts makes it. */
export interface Tables {
  readonly routes: readonly Route[];
  /** The endpoints in the metadata of an issuer, below the issuer. */
  readonly discovery: ReadonlyMap<string, string>;
  readonly grantTypes: GrantTypes;
  /** The handlers of those that have a token request. */
  readonly grants: ReadonlyMap<string, GrantHandler>;
  /** The form parameters of the token endpoint that the grants read, each once. */
  readonly grantParameters: readonly string[];
  readonly proofs: readonly Proof[];
  /** Of a sign-in, in the order in which they are asked for. */
  readonly steps: readonly LoadedStep[];
  /** The settings of clients and applications. */
  readonly fields: Load<Fields>;
  readonly controls: ReadonlyMap<string, Load<FieldControl>>;
  /** By the type of the identity provider. */
  readonly connectors: ReadonlyMap<string, Load<Connector>>;
  /** The same. */
  readonly passwordCheckers: ReadonlyMap<string, Load<PasswordChecker>>;
  readonly operations: OperationTable;
  /** Those of the store. */
  readonly store: StoreTables;
  /** The rail of the console, from the top. */
  readonly places: ReadonlyMap<string, Place>;
  /** What the search of the console finds, in the order of the kinds. */
  readonly searches: ReadonlyMap<string, Load<ConsoleSearch>>;
  readonly deferredMails: DeferredMails;
  readonly failures: Failures;
  /** The types of events that capabilities declare: the list of events.ts is loaded by what shows or checks them. */
  readonly events: Events;
  readonly jobs: readonly Job[];
  readonly waiting: readonly WaitingGauge[];
}

/** A handler of one application's URLs: {base_url}/api/v1/authorize/{app_code}/oauth2/… */
export type Endpoint = (services: Services, request: Request, application: Application) => Promise<Answer>;

/** A handler of a URL of the whole deployment, such as /login. */
export type Handler = (services: Services, request: Request) => Promise<Answer>;

/** What a test, or a process among several, puts in the place of a part. */
export interface Overrides {
  readonly clock?: Clock;
  readonly random?: Random;
  readonly generateKeyPair?: GenerateKeyPair;
  readonly passwordCost?: PasswordCost;
  /** Instead of those of capabilities.ts. */
  readonly tables?: Tables;
  /** Receives a line of text when the start has to wait for the database. */
  readonly onWait?: (line: string) => void;
  /** Wraps the store, so that tests can observe it or inject faults. */
  readonly wrapStore?: (store: Store) => Store;
  /** Replaces the throttle of this process by the shared one of the primary. */
  readonly throttle?: (own: Throttle) => Throttle;
  /** Skips the check that the secret opens the store's keys: for commands that delete keys and clients of a lost secret. */
  readonly skipSecretCheck?: boolean;
  /** Replaces the metrics of this process by those of all workers. */
  readonly exposition?: () => Promise<string>;
}

export type BuildServices = (config: Config, log: Log, overrides?: Overrides) => Promise<Services>;
