import type { AccountServices } from './accounts/authenticate.ts';
import type { NewPasswords } from './accounts/new-passwords.ts';
import type { ClientDocument } from './applications/client-document.ts';
import type { DocumentCache } from './applications/document-cache.ts';
import type { RegistryCache } from './applications/registry.ts';
import type { CookieJar } from './cookies.ts';
import type { Deps } from './deps.ts';
import type { Recorder } from './events/recorder.ts';
import type { RefusalRecorder } from './events/refusals/recorder.ts';
import type { StatisticsRecorder } from './events/statistics.ts';
import type { KeySets } from './keys/jwt-verifier.ts';
import type { GenerateKeyPair } from './keys/key-pair.ts';
import type { KeyRing } from './keys/key-ring.ts';
import type { Signer } from './keys/signer.ts';
import type { Answer, Request } from './message.ts';
import type { Readiness } from './observe/readiness.ts';
import type { PendingRequests } from './pending-request.ts';
import type { Application } from './protocol/client.ts';

/** What endpoints and pages use: the dependencies, and the services that app.ts builds on them. */
export interface Services extends Deps, AccountServices {
  readonly ring: KeyRing;
  readonly newPasswords: NewPasswords;
  readonly generateKeyPair: GenerateKeyPair;
  readonly signer: Signer;
  readonly keySets: KeySets;
  /** What clients publish whose client_id is an address (applications/find-client.ts). */
  readonly clientDocuments: DocumentCache<ClientDocument>;
  /** The logos of clients as data: URIs, by logo_uri (sign-in/about-client.ts). */
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
