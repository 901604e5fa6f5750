import type { Server } from 'node:http';
import { availableParallelism } from 'node:os';
import { createPasswords } from './accounts/passwords.ts';
import { createThrottle } from './accounts/throttle.ts';
import { createRegistryCache } from './applications/registry.ts';
import type { Config } from './config.ts';
import { createCookieJar } from './cookies.ts';
import type { Clock, Random } from './deps.ts';
import { createHttpServer } from './http/server.ts';
import { createKeyRing } from './keys/key-ring.ts';
import { loadSecrets } from './keys/secret-file.ts';
import { createSigner } from './keys/signer.ts';
import type { Log } from './observe/log.ts';
import { createPendingRequests } from './pending-request.ts';
import { systemRandom } from './random.ts';
import type { Services } from './services.ts';
import { openStore } from './store/open-store.ts';
import type { Store } from './store/store.ts';

export const systemClock: Clock = { now: () => Math.floor(Date.now() / 1000) };

/** Logins that may wait for their password check: a few seconds' worth on one core. */
const MOST_WAITING_HASHES = 64;

export interface Overrides {
  readonly clock?: Clock;
  readonly random?: Random;
  /** Wraps the store, to watch or to disturb it. */
  readonly wrapStore?: (store: Store) => Store;
}

/** Everything but the port: the same for the server, the command line and the tests. */
export async function buildServices(config: Config, log: Log, overrides: Overrides = {}): Promise<Services> {
  const { random = systemRandom, wrapStore = store => store } = overrides;
  const secrets = loadSecrets(config, random);
  const store = wrapStore(await openStore(config.database));
  const clock = overrides.clock ?? store.clock ?? systemClock;
  const ring = createKeyRing(secrets, random);
  const cookies = createCookieJar(config.baseUrl);
  // One core is left for everybody who is not logging in.
  const atOnce = Math.max(1, availableParallelism() - 1);
  return {
    config,
    log,
    clock,
    random,
    store,
    ring,
    cookies,
    signer: createSigner({ store, clock, ring }),
    registry: createRegistryCache({ store }),
    pending: createPendingRequests({ ring, clock, random, cookies }),
    passwords: createPasswords(random, { atOnce, waiting: MOST_WAITING_HASHES }),
    throttle: createThrottle(clock),
  };
}

export function buildServer(services: Services): Server {
  return createHttpServer(services);
}
