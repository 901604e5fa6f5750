import type { StartJob } from '../../platform/jobs/job.ts';

/** The caches of applications, clients and keys look for changes of other processes, also when the store tells of one. */
export const refreshRegistry: StartJob = ({ metrics, registry, signer, store }, { wake }) => {
  const age = metrics.age({
    name: 'gatehouse_registry_refresh_age_seconds',
    help: 'Seconds since the caches of applications, clients and keys last checked for changes; the worst of the workers.',
    aggregation: 'max',
  });
  store.onRegistryChange(() => wake());
  return {
    run: async () => {
      if (await registry.refresh()) {
        signer.invalidate();
        // Not here: a key takes longer than the others may wait for changes.
        if ((await store.pendingKeys(1)).length > 0) wake('keys.spare');
      }
      age.reset();
    },
  };
};
