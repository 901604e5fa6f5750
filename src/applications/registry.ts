import { BoundedCache } from '../bounded-cache.ts';
import type { Deps } from '../deps.ts';
import type { Application, Client } from '../protocol/client.ts';

/**
 * Applications and clients from memory. Unknown ones are always asked of the store, so that a new one works at once;
 * changes are noticed by the version that every change counts up (`refresh`, called on a timer by jobs/).
 */
export interface RegistryCache {
  application(code: string, receivedAt?: number): Promise<Application | undefined>;
  /** The same without asking the store: undefined also for one that is not in memory yet. */
  knownApplication(code: string): Application | undefined;
  client(app: string, clientId: string, receivedAt?: number): Promise<Client | undefined>;
  knownClient(app: string, clientId: string): Client | undefined;
  isClientOrigin(app: string, origin: string, receivedAt?: number): Promise<boolean>;
  /** The same without asking the store: false also for one that is not in memory yet. */
  isKnownOrigin(app: string, origin: string): boolean;
  /** The client that proved itself with these very credentials, as long as its registration is the one it had then. */
  verifiedClient(credentials: string): Client | undefined;
  noteVerified(credentials: string, app: string, client: Client): void;
  /** Runs `verify`, unless it is under way for the same credentials: then its outcome is that of both. */
  verifyOnce<T>(credentials: string, verify: () => Promise<T>): Promise<T>;
  /** Forgets everything when the store has news; answers whether it had. */
  refresh(): Promise<boolean>;
}

const MOST = 10_000;

export function createRegistryCache({ store }: Pick<Deps, 'store'>): RegistryCache {
  const applications = new BoundedCache<string, Application>(MOST);
  const clients = new BoundedCache<string, Client>(MOST);
  const origins = new BoundedCache<string, true>(MOST);
  const verified = new BoundedCache<string, Client>(MOST);
  const beingVerified = new Map<string, Promise<unknown>>();
  let version: number | undefined;

  const through = async <V>(cache: BoundedCache<string, V>, key: string, find: () => Promise<V | undefined>) => {
    const known = cache.get(key);
    if (known !== undefined) return known;
    const asOf = version;
    const found = await find();
    // What was read before news arrived may be old: use it once, do not keep it.
    if (found !== undefined && asOf === version) cache.set(key, found);
    return found;
  };

  return {
    knownApplication: code => applications.get(code),
    application: (code, receivedAt) => through(applications, code, () => store.findApplication(code, receivedAt)),
    client: (app, clientId, receivedAt) =>
      through(clients, `${app}\0${clientId}`, () => store.findClient(app, clientId, receivedAt)),
    knownClient: (app, clientId) => clients.get(`${app}\0${clientId}`),
    isClientOrigin: async (app, origin, receivedAt) => {
      const find = async () => ((await store.isClientOrigin(app, origin, receivedAt)) ? true : undefined);
      return (await through(origins, `${app}\0${origin}`, find)) ?? false;
    },
    isKnownOrigin: (app, origin) => origins.get(`${app}\0${origin}`) !== undefined,
    verifiedClient: credentials => verified.get(credentials),
    noteVerified(credentials, app, client) {
      // Not if the registration changed while the credentials were being checked.
      if (clients.get(`${app}\0${client.client_id}`) === client) verified.set(credentials, client);
    },
    verifyOnce<T>(credentials: string, verify: () => Promise<T>): Promise<T> {
      const underWay = beingVerified.get(credentials) as Promise<T> | undefined;
      if (underWay) return underWay;
      const verifying = verify().finally(() => beingVerified.delete(credentials));
      beingVerified.set(credentials, verifying);
      return verifying;
    },
    async refresh() {
      const present = await store.registryVersion();
      const news = present !== version;
      version = present;
      if (news) for (const cache of [applications, clients, origins, verified]) cache.clear();
      return news;
    },
  };
}
