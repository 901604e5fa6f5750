import { createLogoutSender } from '../../src/notify/backchannel-logout/job.ts';
import { createPingSender } from '../../src/oauth/ciba/job.ts';
import type { Sender } from '../../src/platform/jobs/in-flight.ts';
import type { Services } from '../../src/services.ts';

/** Delivers all that is due, as the job does, and waits for the answers. */
async function deliverAll(create: (wake: () => void) => Sender): Promise<void> {
  let runs = Promise.resolve();
  const sender: Sender = create(() => {
    runs = runs.then(sender.run);
  });
  await sender.run();
  for (let before: unknown; before !== runs; ) {
    before = runs;
    await sender.idle();
    await runs;
  }
}

export function deliverLogoutNotices(services: Services): Promise<void> {
  return deliverAll(wake => createLogoutSender(services, wake));
}

export function deliverPings(services: Services): Promise<void> {
  return deliverAll(wake => createPingSender(services, wake));
}
