import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DEVICE_GRANT } from '../../../src/oauth/device/rules.ts';
import { CALLBACK, consentPageOf } from '../../build/assistant.ts';
import { delivered } from '../../build/delivered.ts';
import { aWaitingDevice, decide } from '../../build/device.ts';
import { openDocumentServer } from '../../build/document-server.ts';
import { eventsOf } from '../../build/events.ts';
import { aUser } from '../../build/fixture.ts';
import { bob, press } from '../../build/people.ts';
import { suiteNodes } from '../../build/suite-nodes.ts';
import { suitePart } from '../../build/suite-part.ts';
import type { TestServer } from '../../build/test-server.ts';
import { type Seen, Visitor } from '../../build/visitor.ts';

/** Two servers on one PostgreSQL. The client of a document is stored when a user agrees, which is an event: once, whoever was first. */
const documents = suitePart(openDocumentServer);
const nodes = suiteNodes({
  env: { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1' },
  shop: { client_id_metadata: 'any' },
  users: [aUser(), bob()],
});

async function atPage(node: TestServer, clientId: string, username: string): Promise<[Visitor, Seen]> {
  const visitor = new Visitor(node.base);
  return [visitor, await consentPageOf(node, clientId, {}, visitor, username)];
}

const allow = async ([visitor, page]: [Visitor, Seen]) =>
  assert(delivered(await press(visitor, page, 'allow'), CALLBACK).fields.code);
const created = (clientId: string) => eventsOf(nodes[0], { types: ['client.created'], clientId });

describe('client.created of the client of a document', () => {
  it('is recorded when the first user agrees, with the client as actor, and not with the second user', async () => {
    const id = documents.publish('/first');
    const first = await atPage(nodes[0], id, 'alice');
    assert.deepEqual(await created(id), [], 'nobody has agreed');
    await allow(first);
    const [event, ...others] = await created(id);
    assert.deepEqual(others, []);
    assert.deepEqual([event?.actor, event?.subject, event?.app], [{ kind: 'client', id }, id, 'shop']);
    assert.deepEqual([event?.outcome, event?.details], ['success', { origin: 'client_id_metadata' }]);
    assert(event?.requestId);
    await allow(await atPage(nodes[1], id, 'bob'));
    assert.equal((await created(id)).length, 1);
  });

  it('is recorded once where users agree on two nodes at the same time', async () => {
    const id = documents.publish('/parallel');
    const places = nodes.flatMap(node => ['alice', 'bob'].map(username => [node, username] as const));
    const pages = await Promise.all(places.map(([node, username]) => atPage(node, id, username)));
    await Promise.all(pages.map(allow));
    assert.equal((await created(id)).length, 1);
  });

  it('is recorded where a user allows a device, and not where the user denies it', async () => {
    const [denied, allowed] = ['/denied-device', '/device'].map(path =>
      documents.publish(path, { grant_types: [DEVICE_GRANT] }),
    ) as [string, string];
    for (const [id, action] of [[denied, 'deny'] as const, [allowed, 'allow'] as const]) {
      const { user_code } = await aWaitingDevice(nodes[0], { client_id: id });
      await decide(nodes[0], user_code, action);
    }
    assert.deepEqual([(await created(denied)).length, (await created(allowed)).length], [0, 1]);
  });
});
