import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import type { Event } from '../../../src/audit/events/rules.ts';
import type { Client } from '../../../src/directory/clients/rules.ts';
import { eventTypesOf } from '../../build/sealed-events.ts';
import { aFixture, client, NOW, type OpenStore, unique } from './given.ts';
import { openForEach } from './open-store.ts';

/** RFC 7591 and client ID metadata documents: clients that no operator has set. */
export function clientRegistrationsContract(open: OpenStore): void {
  describe('self-registered clients', () => {
    let app: string;
    let sub: string;
    const opened = openForEach(open);
    const { store, another } = opened;
    beforeEach(async () => {
      const fixture = await aFixture(store);
      app = fixture.app;
      sub = fixture.user.sub;
    });

    const event = (clientId: string): Event => ({
      ...{ id: unique('evt'), time: NOW, type: 'client.created', outcome: 'success' },
      ...{ actor: { kind: 'client', id: clientId }, app, clientId, subject: clientId },
    });
    const ofRegistration = (id: string): Client => client({ client_id: id, origin: 'dynamic_registration' });
    const ofDocument = (id: string): Client => client({ client_id: id, origin: 'client_id_metadata' });
    const register = (id: string, { createdAt = NOW, maxClients = 100, unusedSince = NOW - 3600 } = {}) =>
      store.registerClient(app, {
        ...{ client: ofRegistration(id), tokenHash: Buffer.from(`token of ${id}`), createdAt },
        ...{ maxClients, unusedSince, event: event(id), deleted },
      });
    const use = (client: Client, { now = NOW, maxClients = 100, store: at = store } = {}) =>
      at.noteClientUse(app, client, { now, maxClients, created: event(client.client_id) });
    const deleted = (_: string, id: string): Event => ({ ...event(id), type: 'client.deleted' });
    const remove = (before: number, now = before) => store.removeUnusedClients(before, now, 100, deleted);
    const has = async (id: string) => (await store.findClient(app, id)) !== undefined;

    it('a registration is found by its client and application alone, with the time of its last use', async () => {
      assert.equal(await register('one'), 'registered');
      const found = await store.findRegistration(app, 'one');
      assert(found?.tokenHash);
      assert.equal(Buffer.from(found.tokenHash).toString(), 'token of one');
      assert.deepEqual([found.createdAt, found.usedAt], [NOW, undefined]);
      assert.equal(await store.findRegistration('elsewhere', 'one'), undefined);
      assert.equal(await store.findRegistration(app, 'web'), undefined);
      await use(ofRegistration('one'), { now: NOW + 5 });
      assert.equal((await store.findRegistration(app, 'one'))?.usedAt, NOW + 5);
      assert.equal((await store.findClient(app, 'one'))?.origin, 'dynamic_registration');
    });

    it('a limit holds for registrations at the same time, on all nodes together', async () => {
      const other = await another();
      const nodes = [store, other];
      const outcomes = await Promise.all(
        Array.from({ length: 12 }, (_, index) =>
          (nodes[index % 2] ?? other).registerClient(app, {
            ...{ client: ofRegistration(`many-${index}`), tokenHash: Buffer.from(String(index)), createdAt: NOW },
            ...{ maxClients: 5, unusedSince: NOW - 3600, event: event(`many-${index}`), deleted },
          }),
        ),
      );
      assert.equal(outcomes.filter(outcome => outcome === 'registered').length, 5);
      assert.equal(outcomes.filter(outcome => outcome === 'full').length, 7);
    });

    it('it holds for the first users of documents too', async () => {
      const other = await another();
      const outcomes = await Promise.all(
        Array.from({ length: 12 }, (_, index) => {
          const at = index % 2 === 0 ? store : other;
          return use(ofDocument(`https://client.example/${index}`), { maxClients: 5, store: at });
        }),
      );
      assert.equal(outcomes.filter(outcome => outcome === 'noted').length, 5);
    });

    it('where it is full, registrations that were never used and are old make room; a used one does not', async () => {
      await register('old', { createdAt: NOW - 7200 });
      await register('used', { createdAt: NOW - 7200 });
      await use(ofRegistration('used'), { now: NOW - 7000 });
      const version = await store.registryVersion();
      assert.equal(await register('new', { maxClients: 2 }), 'registered');
      assert.deepEqual([await has('old'), await has('used'), await has('new')], [false, true, true]);
      assert((await store.registryVersion()) > version, 'every node forgets those that are gone');
      assert.deepEqual((await eventTypesOf(opened.url, 'old')).sort(), ['client.created', 'client.deleted']);
      assert.equal(await register('newer', { maxClients: 2 }), 'full');
      assert.deepEqual(await eventTypesOf(opened.url, 'used'), ['client.created']);
    });

    it('the client of a document is stored with its first use, again with what has changed, and not beyond the limit', async () => {
      const id = 'https://client.example/metadata.json';
      assert.equal(await use(ofDocument(id), { maxClients: 1 }), 'noted');
      const renamed = { ...ofDocument(id), client_name: 'Renamed' };
      assert.equal(await use(renamed, { now: NOW + 1, maxClients: 1 }), 'noted');
      assert.equal((await store.findClient(app, id))?.client_name, 'Renamed');
      const registration = await store.findRegistration(app, id);
      assert.deepEqual(registration, { tokenHash: undefined, createdAt: NOW, usedAt: NOW + 1 });
      assert.equal(await use(ofDocument(`${id}2`), { maxClients: 1 }), 'full');
      assert.equal(await has(`${id}2`), false);
      assert.deepEqual(await eventTypesOf(opened.url, id), ['client.created']);
      assert.deepEqual(await eventTypesOf(opened.url, `${id}2`), []);
    });

    it('its first users at the same time store it once, with one event, also where it is the last that fits', async () => {
      const id = 'https://client.example/popular.json';
      const other = await another();
      const outcomes = await Promise.all(
        Array.from({ length: 12 }, (_, index) =>
          use(ofDocument(id), { maxClients: 1, store: index % 2 === 0 ? store : other }),
        ),
      );
      assert.deepEqual(new Set(outcomes), new Set(['noted']));
      assert.deepEqual(await eventTypesOf(opened.url, id), ['client.created']);
    });

    it('one that was deleted and is used again is created again', async () => {
      const id = 'https://client.example/again.json';
      await use(ofDocument(id), { now: NOW - 1000 });
      assert.equal(await remove(NOW - 500), 1);
      await use(ofDocument(id));
      const types = await eventTypesOf(opened.url, id);
      assert.deepEqual(types.sort(), ['client.created', 'client.created', 'client.deleted']);
    });

    it('a client_id of 512 characters fits everywhere', async () => {
      const id = `https://client.example/${'x'.repeat(489)}`;
      assert.equal(id.length, 512);
      await use(ofDocument(id));
      await store.addConsent(sub, app, id, ['openid'], NOW);
      assert.deepEqual(
        (await store.consentsOf(sub)).map(({ clientId }) => clientId),
        [id],
      );
    });

    it('a use of a registered client that was deleted does not bring it back', async () => {
      assert.equal(await use(ofRegistration('gone')), 'noted');
      assert.equal(await has('gone'), false);
      assert.deepEqual(await eventTypesOf(opened.url, 'gone'), []);
    });

    it('unused ones are deleted, with their consents and an event each; those of operators are not', async () => {
      await register('unused', { createdAt: NOW - 1000 });
      await register('used', { createdAt: NOW - 1000 });
      await use(ofRegistration('used'));
      await store.addConsent(sub, app, 'unused', ['openid'], NOW - 1000);
      assert.equal(await remove(NOW - 500), 1);
      assert.deepEqual([await has('unused'), await has('used'), await has('web')], [false, true, true]);
      assert.deepEqual(await store.consentsOf(sub), []);
      const page = { after: undefined, limit: 10 };
      const events = await store.listEvents({ apps: [app], types: ['client.deleted'] }, page);
      assert.deepEqual(
        events.map(({ clientId }) => clientId),
        ['unused'],
      );
      assert.equal(await remove(NOW - 500), 0);
    });

    it('an operator who sets a client takes it over: it is unused no more', async () => {
      await register('taken', { createdAt: NOW - 1000 });
      await store.provision([{ kind: 'client', app, client: client({ client_id: 'taken' }) }]);
      assert.equal(await remove(NOW + 1000), 0);
      assert.equal(await has('taken'), true);
    });

    it('an initial access token is found by its hash, in its application, until its end', async () => {
      const hash = Buffer.from('hash of a token');
      const token = { id: 'iat_1', name: 'partner', createdAt: NOW, expiresAt: NOW + 60, hash };
      await store.changeInitialAccessToken(app, 'iat_1', current => ({
        result: current,
        write: { value: token, act: { event: { ...event('x'), type: 'initial_access_token.created' } } },
      }));
      const find = (of: string, now: number) => store.findInitialAccessToken(of, hash, now);
      const { hash: _, ...shown } = token;
      assert.deepEqual(await find(app, NOW + 59), shown);
      assert.equal(await find(app, NOW + 60), undefined);
      assert.equal(await find('elsewhere', NOW), undefined);
      assert.deepEqual(await store.listInitialAccessTokens(app, { after: undefined, limit: 5 }), [shown]);
      await store.changeInitialAccessToken(app, 'iat_1', () => ({
        result: undefined,
        write: { value: null, act: { event: { ...event('x'), type: 'initial_access_token.deleted' } } },
      }));
      assert.equal(await find(app, NOW), undefined);
    });
  });
}
