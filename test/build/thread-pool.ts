import { createHook } from 'node:async_hooks';

/** How much of each kind (`ARGON2REQUEST`, `SIGNREQUEST`) the work gave to the thread pool: its cost, without a clock. */
export async function threadPoolJobs(work: () => Promise<unknown>): Promise<Map<string, number>> {
  const jobs = new Map<string, number>();
  const hook = createHook({
    init: (_id, type) => {
      if (/^(ARGON2|SIGN|PBKDF2|SCRYPT)REQUEST$/.test(type)) jobs.set(type, (jobs.get(type) ?? 0) + 1);
    },
  }).enable();
  try {
    await work();
  } finally {
    hook.disable();
  }
  return jobs;
}
