import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Webhook as Verifier } from 'standardwebhooks';
import { startJobs } from '../../../src/assembly/jobs.ts';
import { anOperatorClient } from '../../build/operator.ts';
import { signedIn } from '../../build/people.ts';
import { openReceiver } from '../../build/receiver.ts';
import { startTestServer } from '../../build/test-server.ts';
import { until } from '../../build/until.ts';

describe('webhooks: from the act to the receiver', () => {
  it('a login reaches the subscriber within seconds, through the jobs of the server', async () => {
    const receiver = await openReceiver();
    const server = await startTestServer({ env: { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1' } });
    const stopJobs = startJobs(server.services);
    const owner = await anOperatorClient(server);
    const body = { url: receiver.address, application: 'shop', event_types: ['user.login.succeeded'] };
    const { secret } = (await owner.ask('POST', '/webhooks', body)).json;
    await signedIn(server);
    await until('the event arrives', () => receiver.received.length > 0);
    const [received, ...more] = receiver.received;
    assert(received && more.length === 0);
    const sent = new Verifier(secret).verify(received.body, received.headers as Record<string, string>) as {
      readonly type: string;
      readonly data: Readonly<Record<string, unknown>>;
    };
    const { sub } = (await server.services.store.findAccount('alice')) ?? assert.fail();
    assert.equal(sent.type, 'user.login.succeeded');
    assert.deepEqual(
      [sent.data.application, sent.data.actor, sent.data.outcome],
      ['shop', { kind: 'user', id: sub }, 'success'],
    );
    await stopJobs();
    await server.close();
    await receiver.down();
  });
});
