import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { fixedClock } from '../../build/clock.ts';
import { aUser, CALLBACK } from '../../build/fixture.ts';
import { anOperatorClient, type OperatorClient } from '../../build/operator.ts';
import { bob } from '../../build/people.ts';
import { startTestServer, type TestServer } from '../../build/test-server.ts';
import type { Seen } from '../../build/visitor.ts';

export const ORDERS_API = {
  identifier: 'https://api.shop.example',
  name: 'Orders API',
  scopes: { 'orders:read': 'Read your orders' },
};

/** What `useConsole` starts for a file. */
export let server: TestServer;
export let owner: OperatorClient;
export const clock = fixedClock();

/** For the tests of a client's pages: a server with alice as owner, bob as auditor, carol as operator, and dave without a role. */
export function useConsole(): void {
  before(startConsole);
  after(() => server.close());
}

async function startConsole(): Promise<void> {
  server = await startTestServer({
    users: [
      aUser(),
      bob(),
      bob({ username: 'carol', email: undefined, phone_number: undefined }),
      bob({ username: 'dave', email: undefined, phone_number: undefined }),
    ],
    clock,
    shop: { apis: [ORDERS_API] },
  });
  owner = await anOperatorClient(server);
  for (const [username, role] of [
    ['alice', 'owner'],
    ['bob', 'auditor'],
    ['carol', 'operator'],
  ]) {
    assert.equal((await owner.ask('POST', '/operators', { username, role })).status, 201);
  }
}

export const CLIENTS = '/console/applications/shop/clients';
export const API = '/applications/shop/clients';
export const secretIn = ({ text }: Seen) => /class="secret">.*?<code>([^<]+)</.exec(text)?.[1];

export async function aRegisteredClient(client_id: string, over: object = {}): Promise<string> {
  const body = { client_id, client_name: `Client ${client_id}`, redirect_uris: [CALLBACK], ...over };
  const made = await owner.ask('POST', API, body);
  assert.equal(made.status, 201, made.text);
  return made.json.client_secret;
}
