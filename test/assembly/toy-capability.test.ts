import assert from 'node:assert/strict';
import { text as textOf } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { startJobs } from '../../src/assembly/jobs.ts';
import { loadTables } from '../../src/assembly/tables.ts';
import { capabilities } from '../../src/capabilities.ts';
import { capability } from '../../src/capability.ts';
import { createMailSender } from '../../src/notify/mail/job.ts';
import { newDeferredMail } from '../../src/notify/mail/queue.ts';
import { exportText } from '../../src/operators/apply/export.ts';
import { page } from '../../src/platform/http/route.ts';
import { get, post } from '../build/client.ts';
import { filledForm } from '../build/console.ts';
import { type ConsoleFixture, openConsole } from '../build/in-console.ts';
import { mailsIn } from '../build/mailbox.ts';
import { until } from '../build/until.ts';
import { type TemporaryFolder, temporaryFolder } from '../store/temporary-folder.ts';
import { guestBook } from './toy/capability.ts';
import { guests } from './toy/guests.ts';

const TOKEN = 'a-token-for-the-metrics';

describe('a capability is a folder and a line (docs/architecture.md)', () => {
  for (const store of ['SQLite', 'PostgreSQL'] as const) {
    describe(`a guest book from test/assembly/toy, on ${store}`, () => {
      let fixture: ConsoleFixture;
      let outbox: TemporaryFolder;
      before(async () => {
        guests.names.length = 0;
        outbox = temporaryFolder();
        const env = { MAIL_URL: `file:${outbox.file('mails')}`, GATEHOUSE_METRICS_TOKEN: TOKEN };
        fixture = await openConsole({ store, env, tables: await loadTables([...capabilities, guestBook]) });
      });
      after(async () => {
        await fixture.server.close();
        outbox.remove();
      });

      it('has an endpoint of every application', async () => {
        const { server } = fixture;
        assert.deepEqual((await post(`${server.at()}/guest_book`, { name: 'Ann' })).json, { count: 1 });
        assert.deepEqual((await get(`${server.at()}/guest_book`)).json, { application: 'shop', guests: ['Ann'] });
        assert.equal((await get(`${server.at('nowhere')}/guest_book`)).status, 404);
      });

      it('has a page', async () => {
        assert.match((await get(fixture.at('/guest-book'))).text, /<h1>Guest book<\/h1><p>Ann</);
      });

      it('has operations in the admin API, with their rights, and in its document', async () => {
        const { owner, server } = fixture;
        assert.deepEqual((await owner.ask('GET', '/guest_book')).json, { guests: ['Ann'] });
        const { json } = await get(`${server.base}/api/v1/admin/openapi.json`);
        assert.deepEqual(Object.keys(json.paths['/guest_book']), ['get', 'delete']);
        assert.equal(json.paths['/guest_book'].get.operationId, 'getGuestBook');
        assert.equal((await get(`${server.base}/api/v1/admin/guest_book`)).status, 401);
      });

      it('has a page of the console, which runs the operation', async () => {
        const { seen } = await fixture.inConsole('/console/guest-book');
        assert.match(seen.text, /Guests: Ann/);
      });

      it('has a field of clients in apply file, admin API, registration, export and its document, with its default', async () => {
        const { owner, server } = fixture;
        const clients = '/applications/shop/clients';
        assert.equal((await owner.ask('POST', clients, { client_id: 'fresh' })).json.guest_book, 'open');
        assert.equal(
          (await owner.ask('PATCH', `${clients}/fresh`, { guest_book: 'closed' })).json.guest_book,
          'closed',
        );
        const refused = await owner.ask('PATCH', `${clients}/fresh`, { guest_book: 'ajar' });
        assert.deepEqual(refused.json.errors, [{ pointer: '/guest_book', detail: 'must be open or closed' }]);
        assert.equal((await owner.ask('PATCH', `${clients}/fresh`, { guest_book: null })).json.guest_book, 'open');
        const applied = { code: 'gallery', name: 'Gallery', guests_shown: 3, dynamic_registration: 'open' } as const;
        await server.provision({
          applications: [{ ...applied, clients: [{ client_id: 'wall', guest_book: 'closed' }, { client_id: 'door' }] }],
        });
        const options = { format: 'json', app: 'gallery', users: false, passwordHashes: false } as const;
        const [gallery] = JSON.parse(await textOf(exportText(server.services, options))).applications;
        assert.equal(gallery.guests_shown, 3);
        assert.deepEqual(
          gallery.clients.map((each: { guest_book: string }) => each.guest_book),
          ['open', 'closed'],
        );
        const register = await fetch(`${server.at('gallery')}/register`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ redirect_uris: ['https://wall.example/cb'], guest_book: 'closed' }),
        });
        assert.equal(((await register.json()) as { guest_book?: string }).guest_book, 'closed');
        const { json } = await get(`${server.base}/api/v1/admin/openapi.json`);
        const { schema } = json.paths['/applications/{code}/clients'].post.requestBody.content['application/json'];
        assert.deepEqual(schema.properties.guest_book, {
          ...{ type: 'string', enum: ['open', 'closed'], default: 'open' },
          description: 'Whether guests of the client sign the book.',
        });
      });

      it('makes the mails that it has deferred', async () => {
        const { services } = fixture.server;
        const entry = { kind: 'guestBook', to: 'ann@example.com' };
        assert(await services.store.addMail(newDeferredMail(services, 'guest_1', entry), 10));
        const sender = createMailSender(services);
        await sender.run();
        await sender.run();
        assert.deepEqual(
          mailsIn(outbox.file('mails')).map(({ subject }) => subject),
          ['Welcome'],
        );
      });

      it('has fields in the forms of the console, which show and change them', async () => {
        const { owner } = fixture;
        const { visitor, seen } = await fixture.inConsole('/console/applications/new');
        assert.match(seen.text, /<label for="guests_shown">Guests shown<\/label>/);
        const values = { code: 'museum', name: 'Museum' };
        await visitor.send(filledForm(seen, 'code'), values);
        assert.equal((await owner.ask('GET', '/applications/museum')).json.guests_shown, 10);
        const settings = await visitor.go(fixture.at('/console/applications/museum'));
        await visitor.send(filledForm(settings, 'guests_shown'), { guests_shown: '4' });
        assert.equal((await owner.ask('GET', '/applications/museum')).json.guests_shown, 4);
        const client = await visitor.go(fixture.at('/console/applications/shop/clients/fresh/settings'));
        assert.match(client.text, /<option value="open" selected>Open<\/option><option value="closed">Closed</);
        await visitor.send(filledForm(client, 'guest_book'), { guest_book: 'closed' });
        assert.equal((await owner.ask('GET', '/applications/shop/clients/fresh')).json.guest_book, 'closed');
      });

      it('has a job, and a metric of what waits', async () => {
        const { services } = fixture.server;
        const stop = startJobs(services);
        try {
          await until('the job has run', () => guests.counted === 1);
          await until('it is counted', async () =>
            /^gatehouse_guests_waiting 7$/m.test(
              (await get(fixture.at('/metrics'), { authorization: `Bearer ${TOKEN}` })).text,
            ),
          );
        } finally {
          await stop();
        }
      });

      it('and its operations change what it has', async () => {
        assert.equal((await fixture.owner.ask('DELETE', '/guest_book')).status, 204);
        assert.deepEqual(guests.names, []);
      });
    });
  }

  it('a name that two capabilities declare is refused at the start', async () => {
    const grants = () => import('../../src/oauth/refresh/grant.ts').then(({ refreshToken }) => refreshToken as never);
    for (const twice of [
      capability('again', { grants: [grants] }),
      capability('again', { steps: { totp: () => Promise.reject() } }),
      capability('again', { deferredMails: { newBrowser: () => Promise.reject() } }),
      capability('again', { operations: [{ addresses: { '/users': { GET: 'listUsers' } }, load: async () => ({}) }] }),
    ]) {
      await assert.rejects(loadTables([...capabilities, twice]), /two capabilities declare/);
    }
    const { guestBookFields } = await import('./toy/fields.ts');
    const { fields } = await loadTables([
      ...capabilities,
      guestBook,
      capability('again', { fields: async () => guestBookFields }),
    ]);
    await assert.rejects(fields(), /two capabilities declare the field guest_book of a client/);
    const { routes } = await loadTables([...capabilities, capability('again', { routes: [page('/login', {})] })]);
    const { createRouter } = await import('../../src/platform/http/router.ts');
    assert.throws(() => createRouter(routes), /two routes for \/login/);
  });
});
