import { isDeepStrictEqual } from 'node:util';
import type { ConnectedProvider } from './connector.ts';

/** What is kept of a provider between sign-ins, such as a pool of connections: as long as its settings stay as they are. */
export interface ProviderConnections {
  of<T extends Closable>(provider: ConnectedProvider, make: () => T): T;
  close(): void;
}

interface Closable {
  close(): void;
}

/** Nothing is made before a provider is used. The types of providers are few, so what one has is found by its id. */
export function createProviderConnections(): ProviderConnections {
  const kept = new Map<string, { readonly provider: ConnectedProvider; readonly made: Closable }>();
  return {
    of<T extends Closable>(provider: ConnectedProvider, make: () => T): T {
      const present = kept.get(provider.id);
      if (present && isDeepStrictEqual(present.provider, provider)) return present.made as T;
      present?.made.close();
      const made = make();
      kept.set(provider.id, { provider, made });
      return made;
    },
    close() {
      for (const { made } of kept.values()) made.close();
      kept.clear();
    },
  };
}
