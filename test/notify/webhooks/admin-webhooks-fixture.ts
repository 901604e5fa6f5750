import assert from 'node:assert/strict';
import { afterEach, before } from 'node:test';
import { createWebhookSender } from '../../../src/notify/webhooks/job.ts';
import { anApplication } from '../../build/fixture.ts';
import { anOperatorClient, type OperatorClient } from '../../build/operator.ts';
import { openReceiver } from '../../build/receiver.ts';
import { suitePart } from '../../build/suite-part.ts';
import { startTestServer } from '../../build/test-server.ts';
import { sealer } from '../../build/webhooks.ts';

export const HOOK = 'https://crm.example/hooks?token=s3cret';

/** A server with the applications shop and bank, an owner who administers its webhooks, and an endpoint. Each test begins without webhooks. */
export function useWebhookAdministration() {
  const receiver = suitePart(openReceiver);
  const server = suitePart(() =>
    startTestServer({
      applications: [anApplication(), anApplication({ code: 'bank', name: 'Bank' })],
      env: { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1' },
    }),
  );
  const sender = suitePart(() => createWebhookSender(server.services));
  const owner = suitePart(() => anOperatorClient(server));
  let seal: ReturnType<typeof sealer>;
  before(() => {
    seal = sealer(server);
  });
  afterEach(async () => {
    const { json } = await owner.ask('GET', '/webhooks?limit=200');
    for (const { id } of json.items) await owner.ask('DELETE', `/webhooks/${id}`);
    receiver.received.length = 0;
    receiver.answer();
  });
  return {
    ...{ server, receiver, owner },
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
