import assert from 'node:assert/strict';
import { after, afterEach, before } from 'node:test';
import { createWebhookSender, type WebhookSender } from '../../../src/notify/webhooks/job.ts';
import { anApplication } from '../../build/fixture.ts';
import { anOperatorClient, type OperatorClient } from '../../build/operator.ts';
import { openReceiver, type Receiver } from '../../build/receiver.ts';
import { startTestServer, type TestServer } from '../../build/test-server.ts';
import { sealer } from '../../build/webhooks.ts';

export const HOOK = 'https://crm.example/hooks?token=s3cret';

/** A server with the applications shop and bank, an owner who administers its webhooks, and an endpoint. Each test begins without webhooks. */
export function useWebhookAdministration() {
  let server: TestServer;
  let sender: WebhookSender;
  let receiver: Receiver;
  let owner: OperatorClient;
  let seal: ReturnType<typeof sealer>;
  before(async () => {
    receiver = await openReceiver();
    server = await startTestServer({
      applications: [anApplication(), anApplication({ code: 'bank', name: 'Bank' })],
      env: { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1' },
    });
    sender = createWebhookSender(server.services);
    owner = await anOperatorClient(server);
    seal = sealer(server);
  });
  after(async () => {
    await server.close();
    await receiver.down();
  });
  afterEach(async () => {
    const { json } = await owner.ask('GET', '/webhooks?limit=200');
    for (const { id } of json.items) await owner.ask('DELETE', `/webhooks/${id}`);
    receiver.received.length = 0;
    receiver.answer();
  });
  return {
    get server() {
      return server;
    },
    get receiver() {
      return receiver;
    },
    get owner() {
      return owner;
    },
    created: async (body: object = { url: HOOK }, by: OperatorClient = owner) => {
      const made = await by.ask('POST', '/webhooks', body);
      assert.equal(made.status, 201, made.text);
      return made;
    },
    /** Events that happened and were sealed; returns their ids. */
    seal: (...args: Parameters<typeof seal>) => seal(...args),
    send: async () => {
      await sender.run();
      await sender.idle();
    },
  };
}
