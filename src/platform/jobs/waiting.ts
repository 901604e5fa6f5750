import type { StartJob } from './job.ts';

/** Counts what waits in the store, for the metrics (`waiting` of the capabilities). */
export const countWaiting: StartJob = ({ metrics, store, tables }) => {
  const counted = new Map<string, number>();
  for (const { name, help } of tables.waiting)
    metrics.watch({ name, help, aggregation: 'max', read: () => counted.get(name) });
  return {
    run: async () => {
      for (const { name, count } of tables.waiting) counted.set(name, await count(store));
    },
  };
};
