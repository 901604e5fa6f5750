import type { AlreadyAnswered, Change } from '../../audit/acts/store.ts';
import type { Provider } from './rules.ts';

/** What a change of a provider depends on, read in its transaction. */
export interface ProviderFacts {
  readonly current: Provider | undefined;
  readonly count: number;
  /** The applications that offer it; deleted ones count, they can be restored. */
  readonly offeredBy: readonly string[];
}

export interface Providers {
  /** All of the deployment, in the order of their ids. Read with the registry (directory/applications/registry.ts). */
  listProviders(): Promise<Provider[]>;
  /** Adds, changes or deletes (`write` of null) a provider. No other change of the registry happens meanwhile. */
  changeProvider<R>(
    id: string,
    decide: (facts: ProviderFacts) => Change<Provider | null, R>,
  ): Promise<R | AlreadyAnswered>;
}
