import { BoundedCache } from '../../platform/bounded-cache.ts';
import { sql } from '../../platform/store/sql.ts';
import type { Deps } from '../../services.ts';
import type { Client } from '../clients/rules.ts';
import type { Provider } from '../providers/rules.ts';
import { TOLD_IN_FRAMES } from './put.queries.ts';
import type { Application } from './rules.ts';

/**
 * A read-through cache of applications, clients, origins and identity providers. A key that is not cached is always read from the store, so a new
 * client works at once. Every change in the store increments a version; `refresh` compares it and empties the cache (job.ts calls
 * it every 500 ms and on a notification).
 */
export interface RegistryCache {
  application(code: string): Promise<Application | undefined>;
  /** From the cache only: undefined also for an application that is not cached. */
  cachedApplication(code: string): Application | undefined;
  client(app: string, clientId: string): Promise<Client | undefined>;
  /** From the cache only. */
  cachedClient(app: string, clientId: string): Client | undefined;
  /** A client that was read from its own address (directory/client-id-metadata/find-client.ts): for names on pages, and for explanations. */
  noteClient(app: string, client: Client): void;
  isClientOrigin(app: string, origin: string): Promise<boolean>;
  /** All identity providers of the deployment, in the order of their ids. */
  providers(): Promise<readonly Provider[]>;
  /** Whether any client is told of a sign-out in a frame (oauth/frontchannel-logout). Nearly always none is, and then a sign-out asks no further. */
  isAnyToldInFrames(): Promise<boolean>;
  /** From the cache only: false also for an origin that is not cached. */
  isCachedOrigin(app: string, origin: string): boolean;
  /** The client that authenticated with exactly these credentials before, unless its registration has changed since. */
  verifiedClient(credentials: string): Client | undefined;
  noteVerified(credentials: string, app: string, client: Client): void;
  /** Runs `verify`. Concurrent calls with the same credentials share one run. */
  verifyOnce<T>(credentials: string, verify: () => Promise<T>): Promise<T>;
  /** Empties the cache if the store's version has changed. Returns whether it has. */
  refresh(): Promise<boolean>;
  /** For what else is derived from applications and cached: it is called when the cache is emptied. */
  onChange(listener: () => void): void;
}

const ANY_TOLD = sql`SELECT 1 FROM clients WHERE ${TOLD_IN_FRAMES} LIMIT 1`;

const MAX_ENTRIES = 10_000;

export function createRegistryCache({ store }: Pick<Deps, 'store'>): RegistryCache {
  const applications = new BoundedCache<string, Application>(MAX_ENTRIES);
  const clients = new BoundedCache<string, Client>(MAX_ENTRIES);
  const origins = new BoundedCache<string, true>(MAX_ENTRIES);
  const verified = new BoundedCache<string, Client>(MAX_ENTRIES);
  const providers = new BoundedCache<'all', readonly Provider[]>(1);
  const toldInFrames = new BoundedCache<'any', string>(1);
  const pendingVerifications = new Map<string, Promise<unknown>>();
  const listeners: (() => void)[] = [];
  let version: number | undefined;

  const readThrough = async <V>(cache: BoundedCache<string, V>, key: string, read: () => Promise<V | undefined>) => {
    const cached = cache.get(key);
    if (cached !== undefined) return cached;
    const versionBefore = version;
    const value = await read();
    // If the version changed during the read, the value may be old: use it for this request, do not cache it.
    if (value !== undefined && versionBefore === version) cache.set(key, value);
    return value;
  };

  return {
    cachedApplication: code => applications.get(code),
    application: code => readThrough(applications, code, () => store.findApplication(code)),
    client: (app, clientId) => readThrough(clients, `${app}\0${clientId}`, () => store.findClient(app, clientId)),
    cachedClient: (app, clientId) => clients.get(`${app}\0${clientId}`),
    noteClient: (app, client) => clients.set(`${app}\0${client.client_id}`, client),
    providers: async () => (await readThrough(providers, 'all', () => store.listProviders())) ?? [],
    isAnyToldInFrames: async () => {
      const read = async () => ((await store.cold.read(ANY_TOLD)).length > 0 ? 'yes' : 'no');
      return (await readThrough(toldInFrames, 'any', read)) === 'yes';
    },
    isClientOrigin: async (app, origin) => {
      const read = async () => ((await store.isClientOrigin(app, origin)) ? true : undefined);
      return (await readThrough(origins, `${app}\0${origin}`, read)) ?? false;
    },
    isCachedOrigin: (app, origin) => origins.get(`${app}\0${origin}`) !== undefined,
    verifiedClient: credentials => verified.get(credentials),
    noteVerified(credentials, app, client) {
      // Not if the registration changed during the verification, and not while a replaced secret is valid: it ends by time.
      const isLasting = client.previous_secrets === undefined || client.previous_secrets.length === 0;
      if (isLasting && clients.get(`${app}\0${client.client_id}`) === client) verified.set(credentials, client);
    },
    verifyOnce<T>(credentials: string, verify: () => Promise<T>): Promise<T> {
      const pending = pendingVerifications.get(credentials) as Promise<T> | undefined;
      if (pending) return pending;
      const verification = verify().finally(() => pendingVerifications.delete(credentials));
      pendingVerifications.set(credentials, verification);
      return verification;
    },
    async refresh() {
      const newVersion = await store.registryVersion();
      const hasChanged = newVersion !== version;
      version = newVersion;
      if (hasChanged) {
        for (const cache of [applications, clients, origins, verified, providers, toldInFrames]) cache.clear();
        for (const listener of listeners) listener();
      }
      return hasChanged;
    },
    onChange: listener => void listeners.push(listener),
  };
}
