import type { AccountServices } from '../people/password/authenticate.ts';
import type { NewPasswords } from '../people/password/new-passwords.ts';
import type { ClientDocument } from '../oauth/client-id-metadata/client-document.ts';
import type { DocumentCache } from '../oauth/client-id-metadata/document-cache.ts';
import type { RegistryCache } from '../directory/applications/registry.ts';
import type { CookieJar } from '../platform/http/cookies.ts';
import type { Deps } from '../platform/deps.ts';
import type { Recorder } from '../audit/events/recorder.ts';
import type { RefusalRecorder } from '../audit/refusals/recorder.ts';
import type { StatisticsRecorder } from '../audit/statistics/statistics.ts';
import type { KeySets } from '../oauth/client-authentication/jwt-verifier.ts';
import type { GenerateKeyPair } from '../platform/crypto/key-pair.ts';
import type { KeyRing } from '../platform/crypto/key-ring.ts';
import type { Signer } from '../oauth/signing-keys/signer.ts';
import type { Answer, Request } from '../platform/http/message.ts';
import type { Readiness } from '../platform/observe/readiness.ts';
import type { PendingRequests } from '../people/sign-in/pending-request.ts';
import type { Application } from '../directory/clients/rules.ts';

/** What endpoints and pages use: the dependencies, and the services that services.ts builds on them. */
export interface Services extends Deps, AccountServices {
  readonly ring: KeyRing;
  readonly newPasswords: NewPasswords;
  readonly generateKeyPair: GenerateKeyPair;
  readonly signer: Signer;
  readonly keySets: KeySets;
  /** What clients publish whose client_id is an address (oauth/client-id-metadata/find-client.ts). */
  readonly clientDocuments: DocumentCache<ClientDocument>;
  /** The logos of clients as data: URIs, by logo_uri (people/consent/about-client.html.ts). */
  readonly clientLogos: DocumentCache<string>;
  readonly registry: RegistryCache;
  readonly cookies: CookieJar;
  readonly pending: PendingRequests;
  readonly readiness: Readiness;
  readonly refusals: RefusalRecorder;
  readonly recorder: Recorder;
  readonly statistics: StatisticsRecorder;
}

/** A handler of one application's URLs: {base_url}/api/v1/authorize/{app_code}/oauth2/… */
export type Endpoint = (services: Services, request: Request, application: Application) => Promise<Answer>;

/** A handler of a URL of the whole deployment, such as /login. */
export type Page = (services: Services, request: Request) => Promise<Answer>;
