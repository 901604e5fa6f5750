import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startJobs } from '../../src/assembly/jobs.ts';
import type { Job } from '../../src/platform/jobs/job.ts';
import { suiteServer } from '../build/test-server.ts';
import { until } from '../build/until.ts';

describe('a job whose module cannot be loaded', () => {
  const server = suiteServer();
  const jobsOf = (job: Omit<Job, 'name' | 'runs'>) => {
    const { services } = server;
    const jobs: readonly Job[] = [{ name: 'unloadable', runs: 'in every process', ...job }];
    return startJobs({ ...services, tables: { ...services.tables, jobs } });
  };
  const failures = () => server.logged().match(/job\.failed.*unloadable/g)?.length ?? 0;

  it('is logged, also if nothing has woken it, and stops nothing', async () => {
    const before = failures();
    const stop = jobsOf({ everyMs: undefined, load: () => Promise.reject(new Error('too many open files')) });
    await until('it is logged', () => failures() === before + 1);
    await stop();
  });

  it('is loaded again with the next run', async () => {
    let loads = 0;
    let runs = 0;
    const before = failures();
    const load = async () => {
      if (++loads === 1) throw new Error('too many open files');
      return () => ({ run: async () => void runs++ });
    };
    const stop = jobsOf({ everyMs: 5, load });
    await until('it runs', () => runs > 1);
    await stop();
    assert.equal(loads, 2);
    assert.equal(failures(), before + 1);
  });
});
