import { after, afterEach, before, beforeEach } from 'node:test';
import { createWebhookSender, type WebhookSender } from '../../../src/notify/webhooks/job.ts';
import { type FixedClock, fixedClock } from '../../build/clock.ts';
import { openReceiver, type Received, type Receiver } from '../../build/receiver.ts';
import { startTestServer, type TestServer } from '../../build/test-server.ts';
import { sealer } from '../../build/webhooks.ts';

export const DAY = 86_400;
export const FAILURE = { status: 500 };
export const failures = (count: number) => Array.from({ length: count }, () => FAILURE);
export const idsOf = (received: readonly Received[]) => received.map(({ headers }) => headers['webhook-id']);

/** Before each test: a server with a clock of the test, the job that sends webhooks, and two endpoints that received nothing yet. */
export function useWebhookSender() {
  let clock: FixedClock;
  let server: TestServer;
  let sender: WebhookSender;
  let seal: ReturnType<typeof sealer>;
  let receiver: Receiver;
  let other: Receiver;
  before(async () => {
    [receiver, other] = [await openReceiver(), await openReceiver()];
  });
  after(async () => {
    for (const each of [receiver, other]) await each.down();
  });
  beforeEach(async () => {
    clock = fixedClock(Math.floor(Date.now() / 1000));
    server = await startTestServer({ clock, env: { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1' } });
    sender = createWebhookSender(server.services);
    seal = sealer(server);
  });
  afterEach(async () => {
    sender.stop();
    await sender.idle();
    await server.close();
    for (const each of [receiver, other]) {
      each.received.length = 0;
      each.answer();
    }
  });
  return {
    get clock() {
      return clock;
    },
    get server() {
      return server;
    },
    get sender() {
      return sender;
    },
    get receiver() {
      return receiver;
    },
    get other() {
      return other;
    },
    /** Events that happened and were sealed; returns their ids. */
    seal: (...args: Parameters<typeof seal>) => seal(...args),
    /** Sends until nothing is due, as the job does when it is woken. */
    sendAll: async (by: WebhookSender = sender): Promise<void> => {
      for (let count = -1; count !== receiver.received.length + other.received.length; ) {
        count = receiver.received.length + other.received.length;
        await by.run();
        await by.idle();
      }
    },
  };
}
