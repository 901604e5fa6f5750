import assert from 'node:assert/strict';
import { newEvent } from '../../src/audit/events/new-event.ts';
import { clientActor } from '../../src/audit/events/request-event.ts';
import type { TestServer } from './test-server.ts';

/** A client of the shop that a user has agreed to, whose client_id is the address of its document. */
export async function aPublishedClient({ services }: TestServer): Promise<string> {
  const { store, clock } = services;
  const [client] = await store.clientsOf('shop');
  assert(client);
  const client_id = 'https://client.example/metadata.json';
  const created = newEvent(services, { type: 'client.created', outcome: 'success', actor: clientActor(client_id) });
  const use = { now: clock.now(), maxClients: 10, created };
  await store.noteClientUse('shop', { ...client, client_id, origin: 'client_id_metadata' }, use);
  return client_id;
}
