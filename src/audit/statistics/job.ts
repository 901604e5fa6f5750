import type { StartJob } from '../../platform/jobs/job.ts';

/** Adds what the process has counted to the store. */
export const flushStatistics: StartJob = ({ statistics }) => ({ run: () => statistics.flush() });
