import { beforeEach } from 'node:test';
import { createWebhookSender } from '../../../src/notify/webhooks/job.ts';
import type { Sender } from '../../../src/platform/jobs/in-flight.ts';
import { fixedClock } from '../../build/clock.ts';
import { openReceiver, type Received } from '../../build/receiver.ts';
import { suitePart, testPart } from '../../build/suite-part.ts';
import { startTestServer } from '../../build/test-server.ts';
import { sealer } from '../../build/webhooks.ts';

export const DAY = 86_400;
export const FAILURE = { status: 500 };
export const failures = (count: number) => Array.from({ length: count }, () => FAILURE);
export const idsOf = (received: readonly Received[]) => received.map(({ headers }) => headers['webhook-id']);

/** Before each test: a server with a clock of the test, the job that sends webhooks, and two endpoints that received nothing yet. */
export function useWebhookSender() {
  const receiver = suitePart(openReceiver);
  const other = suitePart(openReceiver);
  const clock = testPart(() => fixedClock(Math.floor(Date.now() / 1000)));
  const server = testPart(() => startTestServer({ clock, env: { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1' } }));
  const stop = async (started: Sender) => {
    started.stop();
    await started.idle();
  };
  const sender = testPart(() => createWebhookSender(server.services), stop);
  let seal: ReturnType<typeof sealer>;
  beforeEach(() => {
    seal = sealer(server);
    for (const each of [receiver, other]) {
      each.received.length = 0;
      each.answer();
    }
  });
  return {
    ...{ clock, server, sender, receiver, other },
    /** Events that happened and were sealed; returns their ids. */
    seal: (...args: Parameters<typeof seal>) => seal(...args),
    /** Sends until nothing is due, as the job does when it is woken. */
    sendAll: async (by: Sender = sender): Promise<void> => {
      for (let count = -1; count !== receiver.received.length + other.received.length; ) {
        count = receiver.received.length + other.received.length;
        await by.run();
        await by.idle();
      }
    },
  };
}
