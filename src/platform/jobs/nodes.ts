import { hostname } from 'node:os';
import { releaseVersion } from '../release.ts';
import { withinTime } from '../store/within-time.ts';
import type { StartJob } from './job.ts';

const MAX_HOST_LENGTH = 255;
/** A process that stops must not wait long for a database that does not answer: the row then expires by itself. */
const LEAVE_TIMEOUT_MS = 1000;

/** The sign of life of this machine, which the overview of the console and GET /status show; removed when it no longer serves. */
export const signOfLife: StartJob = ({ store, clock, config }) => {
  const startedAt = clock.now();
  const node = { host: hostname().slice(0, MAX_HOST_LENGTH), port: config.port, version: releaseVersion(), startedAt };
  let isRemoved = false;
  let renewal: Promise<void> = Promise.resolve();
  return {
    run: () => {
      if (!isRemoved) renewal = store.noteNode({ ...node, seenAt: clock.now() });
      return renewal;
    },
    stop: async () => {
      isRemoved = true;
      const removal = renewal.catch(() => {}).then(() => store.removeNode(node));
      await withinTime(removal, performance.now(), LEAVE_TIMEOUT_MS).catch(() => {});
    },
  };
};
