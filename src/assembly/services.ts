import { availableParallelism } from 'node:os';
import { createRecorder } from '../audit/events/recorder.ts';
import { createRefusalRecorder } from '../audit/refusals/recorder.ts';
import { createStatisticsRecorder } from '../audit/statistics/statistics.ts';
import { createRegistryCache } from '../directory/applications/registry.ts';
import { MAX_FETCHED_LOGO_BYTES, rasterDataUri } from '../directory/branding/rules.ts';
import type { ClientDocument } from '../directory/client-id-metadata/client-document.ts';
import { byOrigin } from '../directory/clients/by-origin.ts';
import { type ClientKeySet, readKeySet } from '../directory/clients/keys.rules.ts';
import { MAX_PROVIDERS } from '../directory/providers/rules.ts';
import { createEncryption } from '../oauth/encryption/encryption.ts';
import { createSubjects } from '../oauth/pairwise/subjects.ts';
import type { ListedAddresses } from '../oauth/registration/sector-document.ts';
import { createSigner } from '../oauth/signing-keys/signer.ts';
import { createProviderConnections } from '../people/federation/connections.ts';
import { createProviderHealth } from '../people/federation/health.ts';
import { createNewPasswords } from '../people/password/new-passwords.ts';
import { createPasswords, type Passwords, passwordLimits } from '../people/password/passwords.ts';
import type { IdentityProvider } from '../people/saml/metadata.rules.ts';
import { createPendingRequests } from '../people/sign-in/pending-request.ts';
import { BoundedCache } from '../platform/bounded-cache.ts';
import type { Config } from '../platform/config/config.ts';
import { generateSystemKeyPair } from '../platform/crypto/key-pair.ts';
import { createKeyRing, type KeyRing } from '../platform/crypto/key-ring.ts';
import { systemRandom } from '../platform/crypto/random.ts';
import { loadSecrets } from '../platform/crypto/secret-file.ts';
import type { Clock, Random } from '../platform/deps.ts';
import { createCookieJar } from '../platform/http/cookies.ts';
import { createMetrics, type Metrics } from '../platform/observe/instruments.ts';
import type { Log } from '../platform/observe/log.ts';
import { measuredStore } from '../platform/observe/measured-store.ts';
import { createReadiness } from '../platform/observe/readiness.ts';
import { watchCluster } from '../platform/observe/watch-cluster.ts';
import { createDocumentCache, type Loaded } from '../platform/outbound/document-cache.ts';
import { ofStrangers } from '../platform/outbound/names.ts';
import type { Outbound } from '../platform/outbound/outbound.ts';
import { createWaitLimit } from '../platform/outbound/wait-limit.ts';
import { outsideRequests } from '../platform/store/request-time.ts';
import { createSharedAttempts } from '../platform/throttle/all-nodes.ts';
import { createThrottle } from '../platform/throttle/throttle.ts';
import type { Overrides, Services, Tables } from '../services.ts';
import type { Store } from '../store.ts';
import { checkSecrets } from './check-secrets.ts';
import { openStore } from './open-store.ts';
import { loadTables } from './tables.ts';

export const systemClock: Clock = { now: () => Math.floor(Date.now() / 1000) };

/** For what a process counts in its memory: goes on evenly, whatever the wall clock is set to. */
export const steadyClock: Clock = { now: () => Math.floor(performance.now() / 1000) };

/** Builds everything but the listening server (server.ts), which commands do without. All of them and the tests start here. */
export async function buildServices(config: Config, log: Log, overrides: Overrides = {}): Promise<Services> {
  const { random = systemRandom, wrapStore = store => store, throttle = own => own } = overrides;
  const tables = overrides.tables ?? (await loadTables());
  const metrics = createMetrics(isTimed(config), overrides.exposition);
  const { onWait } = overrides;
  const plainStore = wrapStore(
    await openStore(config.database, { timeoutMs: config.databaseTimeoutMs, onWait, tables: tables.store }),
  );
  const measured = metrics.timing ? measuredStore(plainStore, metrics.timing.store) : plainStore;
  const { store, tracing } = await traced(config, measured, log, metrics);
  const clock = overrides.clock ?? store.clock ?? systemClock;
  const ring = await keyRingFor(config, store, random, overrides.skipSecretCheck ?? false);
  const { generateKeyPair = generateSystemKeyPair } = overrides;
  const cookies = createCookieJar(config.baseUrl);
  const limits = passwordLimits(availableParallelism(), workerCount(config));
  const passwords = createPasswords(random, limits, overrides.passwordCost);
  watchLoad(metrics, store, passwords);
  watchCluster(store, log, metrics);
  const ofAll = outsideRequests(store);
  const registry = createRegistryCache({ store });
  const statistics = createStatisticsRecorder({ store: ofAll, clock, random, log, registry });
  const waiting = {
    operators: createWaitLimit(MAX_WAITING.operators),
    strangers: createWaitLimit(MAX_WAITING.strangers),
  };
  const outbound = { operators: config.outbound, strangers: ofStrangers(config.outbound) };
  const metadataWaiting = createWaitLimit(MAX_WAITING.metadata);
  const keySets = byOrigin(origin => createDocumentCache(clock, waiting[origin], keySetLoader(outbound[origin])));
  return {
    config,
    log,
    metrics,
    clock,
    random,
    store,
    ring,
    generateKeyPair,
    cookies,
    keySets,
    issuerKeySets: createDocumentCache(clock, waiting.operators, keySetLoader(config.outbound)),
    encryption: createEncryption({ keySets }),
    clientDocuments: createDocumentCache(clock, waiting.strangers, clientDocumentLoader(outbound.strangers, tables)),
    requestDocuments: byOrigin(origin => createDocumentCache(clock, waiting[origin], requestLoader(outbound[origin]))),
    sectorDocuments: createDocumentCache(clock, waiting.strangers, sectorLoader(outbound.strangers), MAX_SECTORS),
    clientLogos: createDocumentCache(clock, waiting.strangers, clientLogoLoader(outbound.strangers), MAX_LOGOS),
    subjects: createSubjects({ store: ofAll, random, registry }),
    signer: createSigner({ store: ofAll, clock, log, ring, generateKeyPair }),
    providerMetadata: createDocumentCache(
      clock,
      metadataWaiting,
      providerMetadataLoader(config.outbound),
      MAX_PROVIDERS,
    ),
    samlMetadata: createDocumentCache(clock, metadataWaiting, samlMetadataLoader(config.outbound), MAX_PROVIDERS),
    providerHealth: createProviderHealth(clock, waiting.operators),
    providerConnections: createProviderConnections(),
    recheckedPeople: new BoundedCache(MAX_RECHECKED),
    registry,
    refusals: createRefusalRecorder({ config, clock, log, metrics, store: ofAll, registry, statistics, tables }),
    pending: createPendingRequests({ ring, clock, random, cookies }),
    passwords,
    newPasswords: createNewPasswords(rangeService(config)),
    throttle: throttle(createThrottle(overrides.clock ?? steadyClock)),
    shared: store.isSharedByNodes ? createSharedAttempts(store, clock) : undefined,
    readiness: createReadiness(ofAll, log),
    recorder: createRecorder({ store: ofAll, clock, random, log }),
    statistics,
    tracing,
    tables,
  };
}

/**
 * Of the 256 requests that are handled at the same time. Strangers name addresses that never answer; they leave enough to everybody else.
 * `operators`: identity providers, and documents of clients and issuers that operators have registered. `metadata`: what people of a
 * sign-in wait for counts for their provider already.
 */
const MAX_WAITING = { operators: 128, strangers: 100, metadata: 64 } as const;

/** Most deployments with a directory have fewer people who are signed in; one that is dropped is asked about again. */
const MAX_RECHECKED = 20_000;

/** Without a receiver of metrics nothing is timed. */
function isTimed({ metrics, telemetry }: Config): boolean {
  return metrics !== undefined || telemetry?.metrics !== undefined;
}

/** Loaded where traces are exported: most deployments have no receiver, and the store itself then. */
async function traced({ telemetry, database }: Config, store: Store, log: Log, metrics: Metrics) {
  if (!telemetry?.traces) return { store, tracing: undefined };
  const { createTracing } = await import('../platform/telemetry/tracing.ts');
  const { tracedStore } = await import('../platform/telemetry/traced-store.ts');
  return {
    store: tracedStore(store, database.kind),
    tracing: createTracing(telemetry, telemetry.traces, log, metrics),
  };
}

/** Needs the open store: a secret is generated only if the store is empty. */
async function keyRingFor(
  config: Config,
  store: Pick<Store, 'isEmpty' | 'secretsInUse' | 'close'>,
  random: Random,
  skipSecretCheck: boolean,
): Promise<KeyRing> {
  try {
    const ring = createKeyRing(loadSecrets(config, random, await store.isEmpty()), random);
    if (!skipSecretCheck) await checkSecrets(config, store, ring);
    return ring;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Loaded with the first password that is set: most deployments have no range service. */
function rangeService({ passwordRangeUrl, outbound }: Config) {
  if (passwordRangeUrl === undefined) return undefined;
  return async (password: string) => {
    const { isInBreach } = await import('../people/password/range.ts');
    return isInBreach(password, passwordRangeUrl, outbound);
  };
}

/** RFC 7517 section 8.5.2 has the media type. A set of 20 keys is a tenth of the limit. */
const KEY_SET = { accept: 'application/jwk-set+json, application/json', maxBytes: 64 * 1024 };

/** Loaded with the first client that has a jwks_uri: most deployments have none. */
function keySetLoader(outbound: Outbound) {
  return async (url: string): Promise<Loaded<ClientKeySet>> => {
    const { fetchDocument } = await import('../platform/outbound/document.ts');
    const fetched = await fetchDocument(url, KEY_SET, outbound);
    if (fetched.kind === 'failed') return fetched;
    const document = readKeySet(fetched.body.toString());
    return document
      ? { kind: 'read', document, maxAge: fetched.maxAge }
      : { kind: 'failed', reason: 'the document is no JWK Set' };
  };
}

/** RFC 9101 section 5.2.3. As long as one that comes in the address (oauth/jar/open-request.ts). */
const REQUEST_OBJECT = { accept: 'application/oauth-authz-req+jwt', maxBytes: 12 * 1024 };

/** Loaded with the first request_uri of a client that has registered one. */
function requestLoader(outbound: Outbound) {
  return async (url: string): Promise<Loaded<string>> => {
    const { fetchDocument } = await import('../platform/outbound/document.ts');
    const fetched = await fetchDocument(url, REQUEST_OBJECT, outbound);
    return fetched.kind === 'failed'
      ? fetched
      : { kind: 'read', document: fetched.body.toString(), maxAge: fetched.maxAge };
  };
}

/** Each of at most 16 KiB. */
const MAX_SECTORS = 100;

/** Loaded with the first client that registers itself with a sector. */
function sectorLoader(outbound: Outbound) {
  return async (uri: string): Promise<Loaded<ListedAddresses>> => {
    const { loadSector } = await import('../oauth/registration/sector-document.ts');
    return loadSector(uri, outbound);
  };
}

/** With the largest images 17 MB. */
const MAX_LOGOS = 100;

/** Somebody waits for the consent page, which is complete without a logo. */
const CLIENT_LOGO = {
  accept: 'image/webp, image/png, image/jpeg',
  maxBytes: MAX_FETCHED_LOGO_BYTES,
  contentType: /^image\//i,
  share: 0.2,
};

/** Loaded with the first client that has a logo_uri. */
function clientLogoLoader(outbound: Outbound) {
  return async (url: string): Promise<Loaded<string>> => {
    const { fetchDocument } = await import('../platform/outbound/document.ts');
    const fetched = await fetchDocument(url, CLIENT_LOGO, outbound);
    if (fetched.kind === 'failed') return fetched;
    const document = rasterDataUri(fetched.body);
    return document === undefined
      ? { kind: 'failed', reason: 'the document is no PNG, JPEG or WebP' }
      : { kind: 'read', document, maxAge: fetched.maxAge };
  };
}

/** The draft recommends this limit, 5 KB (section 8.7), and names the media types (section 4). */
const CLIENT_DOCUMENT = {
  accept: 'application/json',
  maxBytes: 5 * 1024,
  contentType: /^application\/(?:[\w.+-]+\+)?json *(?:;|$)/i,
};

/** Loaded with the first client_id that is an address: most deployments allow none. */
function clientDocumentLoader(outbound: Outbound, tables: Tables) {
  return async (url: string): Promise<Loaded<ClientDocument>> => {
    const { fetchDocument } = await import('../platform/outbound/document.ts');
    const fetched = await fetchDocument(url, CLIENT_DOCUMENT, outbound);
    if (fetched.kind === 'failed') return fetched;
    const { readClientDocument } = await import('../directory/client-id-metadata/client-document.ts');
    const { client: fields } = await tables.fields();
    const read = readClientDocument(fields, fetched.body.toString(), url);
    return read.kind === 'read' ? { ...read, maxAge: fetched.maxAge } : read;
  };
}

/** Loaded with the first provider that is used. */
function providerMetadataLoader(outbound: Outbound) {
  return async (issuer: string): Promise<Loaded<Readonly<Record<string, unknown>>>> => {
    const { loadMetadata } = await import('../people/openid-connect/metadata.ts');
    return loadMetadata(issuer, outbound);
  };
}

/** The same. */
function samlMetadataLoader(outbound: Outbound) {
  return async (url: string): Promise<Loaded<IdentityProvider>> => {
    const { loadMetadata } = await import('../people/saml/provider-metadata.ts');
    return loadMetadata(url, outbound);
  };
}

/** The number of processes that serve requests on this machine. */
export function workerCount({ workers }: Config): number {
  return workers === 'auto' ? availableParallelism() : workers;
}

function watchLoad(metrics: Metrics, store: Pick<Store, 'load'>, passwords: Passwords): void {
  const sum = (name: string, help: string, read: () => number, isCounter = false) =>
    metrics.watch({ name, help, aggregation: 'sum', read, isCounter });
  sum('gatehouse_store_connections', 'Connections to the database.', () => store.load().connections);
  sum('gatehouse_store_running', 'Operations sent and not yet answered.', () => store.load().running);
  sum('gatehouse_store_waiting', 'Operations waiting for a connection or for their batch.', () => store.load().waiting);
  sum('gatehouse_hash_queue_running', 'Password checks running.', () => passwords.load().running);
  sum('gatehouse_hash_queue_waiting', 'Password checks waiting.', () => passwords.load().waiting);
  sum('gatehouse_hash_queue_refused_total', 'Logins rejected (503).', () => passwords.load().refused, true);
}
