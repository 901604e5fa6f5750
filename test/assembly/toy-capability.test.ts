import assert from 'node:assert/strict';
import { text as textOf } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { startJobs } from '../../src/assembly/jobs.ts';
import { migrateStore } from '../../src/assembly/open-store.ts';
import { storeTables } from '../../src/assembly/store-tables.ts';
import { loadTables } from '../../src/assembly/tables.ts';
import { capabilities } from '../../src/capabilities.ts';
import { capability, step } from '../../src/capability.ts';
import { listUsers } from '../../src/directory/users/operations.ts';
import { createMailSender } from '../../src/notify/mail/job.ts';
import { newDeferredMail } from '../../src/notify/mail/queue.ts';
import { operationsOf } from '../../src/operators/api/operation-table.ts';
import { readApplyFiles } from '../../src/operators/apply/apply-file.ts';
import { exportText } from '../../src/operators/apply/export.ts';
import { copy as copyStore } from '../../src/operators/copy-database/copy.ts';
import { openTransfer } from '../../src/operators/copy-database/open-transfer.ts';
import { totpRule } from '../../src/people/totp/step.rules.ts';
import { parseDatabaseAddress } from '../../src/platform/config/database-address.ts';
import { page } from '../../src/platform/http/route.ts';
import { basic, get, post, token } from '../build/client.ts';
import { commandSettings, runCommand } from '../build/command.ts';
import { filledForm } from '../build/console.ts';
import { type ConsoleFixture, openConsole } from '../build/in-console.ts';
import { mailsIn } from '../build/mailbox.ts';
import { until } from '../build/until.ts';
import { answerIn, formWith, type Seen, signIn, Visitor } from '../build/visitor.ts';
import { type TemporaryFolder, temporaryFolder } from '../store/temporary-folder.ts';
import { GUEST_GRANT, guestBook } from './toy/capability.ts';
import { guestEvents } from './toy/events.ts';
import { guestFailures } from './toy/failures.ts';
import { coldGuests } from './toy/queries.ts';
import { guestTables, RETENTION_SECONDS } from './toy/tables.ts';

const TOKEN = 'a-token-for-the-metrics';
const declared = [...capabilities, guestBook];

describe('a capability is a folder and a line (docs/architecture.md)', () => {
  for (const store of ['SQLite', 'PostgreSQL'] as const) {
    describe(`a guest book from test/assembly/toy, on ${store}`, () => {
      let fixture: ConsoleFixture;
      let refused: Awaited<ReturnType<typeof token>>;
      let outbox: TemporaryFolder;
      before(async () => {
        outbox = temporaryFolder();
        const env = { MAIL_URL: `file:${outbox.file('mails')}`, GATEHOUSE_METRICS_TOKEN: TOKEN };
        fixture = await openConsole({ store, env, tables: await loadTables(declared) });
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

      it('has a grant type, which clients are registered with by every door, and which gives tokens', async () => {
        const { server, owner } = fixture;
        const clients = '/applications/shop/clients';
        const api = { identifier: 'https://door.example', name: 'Door', scopes: { 'door:open': 'Open the door' } };
        assert.equal((await owner.ask('PATCH', '/applications/shop', { apis: [api] })).status, 200);
        const door = { grant_types: [GUEST_GRANT], scope: 'door:open', client_secret: 'door-secret-1' };
        const made = await owner.ask('POST', clients, { client_id: 'door', ...door });
        assert.deepEqual([made.status, made.json.grant_types], [201, [GUEST_GRANT]], made.text);
        const applied = readApplyFiles(await server.services.tables.fields(), [
          {
            name: 'file',
            text: JSON.stringify({ applications: [{ code: 'shop', clients: [{ client_id: 'gate', ...door }] }] }),
          },
        ]);
        assert.equal(applied.kind, 'valid');
        const { json } = await get(`${server.at()}/.well-known/openid-configuration`);
        assert.equal(json.grant_types_supported.at(-1), GUEST_GRANT);
        const page = await fixture.inConsole('/console/applications/shop/clients/door/permissions');
        assert.match(
          page.seen.text,
          /grant-type:guest"[^>]* checked><label[^>]*>Guest: for somebody in the guest book</,
        );

        const ask = (guest: string) =>
          token(server, { grant_type: GUEST_GRANT, guest }, { auth: basic('door', 'door-secret-1') });
        assert.equal((await ask('Ann')).json.scope, 'door:open');
        refused = await ask('Eve');
        assert.equal(refused.json.error, 'invalid_grant');
      });

      it('… with a failure of its own: in the answer, in the reference, explained, and counted in the console', async () => {
        const { server, owner } = fixture;
        assert.equal(refused.json.error_description, 'Nobody of this name is in the guest book.');
        const reference = await get(`${server.base}/docs/errors/invalid_grant`);
        assert.match(reference.text, /Let the guest sign at \/guest_book first/);
        const id = refused.headers.get('x-request-id');
        const { json } = await owner.ask('GET', `/refusals/${id}`);
        assert.deepEqual(
          [json.reason, json.rule.text, json.fix],
          ['guestUnknown', 'The guest is in the book.', 'Let the guest sign at /guest_book first.'],
        );
        const [row] = (await owner.ask('GET', '/refusals?reason=guestUnknown')).json.items;
        assert.deepEqual([row.request_id, row.error], [id, 'invalid_grant']);
        const { seen } = await fixture.inConsole('/console/refusals');
        assert.match(seen.text, /A guest who is not in the book/);
      });

      it('… and which is refused where it must not be', async () => {
        const { server, owner } = fixture;
        const clients = '/applications/shop/clients';
        const publicOne = await owner.ask('POST', clients, {
          grant_types: [GUEST_GRANT],
          token_endpoint_auth_method: 'none',
        });
        assert.equal(publicOne.json.errors[0].detail, `${GUEST_GRANT} needs a client with a secret or a key`);
        const unknown = await owner.ask('POST', clients, { grant_types: ['guest'] });
        assert.match(
          unknown.json.errors[0].detail,
          new RegExp(`^must be one of authorization_code, .*, ${GUEST_GRANT}$`),
        );
        const other = await token(server, { grant_type: GUEST_GRANT, guest: 'Ann' });
        assert.equal(other.json.error, 'unauthorized_client');
      });

      it('has operations in the admin API, with their rights, and in its document', async () => {
        const { owner, server } = fixture;
        assert.deepEqual((await owner.ask('GET', '/guest_book')).json, { guests: ['Ann'] });
        const { json } = await get(`${server.base}/api/v1/admin/openapi.json`);
        assert.deepEqual(Object.keys(json.paths['/guest_book']), ['get', 'delete']);
        assert.equal(json.paths['/guest_book'].get.operationId, 'getGuestBook');
        assert.equal((await get(`${server.base}/api/v1/admin/guest_book`)).status, 401);
      });

      it('has a page of the console, which runs the operation, and a place in its rail', async () => {
        const { seen } = await fixture.inConsole('/console/guest-book');
        assert.match(seen.text, /Guests: Ann/);
        assert.match(
          seen.text,
          /Settings<\/a>\n<a href="\/console\/guest-book" aria-current="page"><svg.*<\/svg>Guest book<\/a>/,
        );
      });

      it('whose page and place are not for those who may not run the operation', async () => {
        const { visitor } = await fixture.inConsole('/console', 'bob', 'operator');
        assert.match((await visitor.go(fixture.at('/console'))).text, /Guest book<\/a>/);
        const limit = { applications: ['shop'] };
        const path = `/operators/${await fixture.subOf('bob')}`;
        assert.equal((await fixture.owner.ask('PATCH', path, limit)).status, 200);
        const limited = (await visitor.go(fixture.at('/console'))).text;
        assert.match(limited, /Overview<\/a>/);
        assert.doesNotMatch(limited, /Guest book/);
        assert.equal((await visitor.go(fixture.at('/console/guest-book'))).status, 404);
      });

      it('has a noun of the command line, whose verbs run the operations', async () => {
        const command = (...args: string[]) => runCommand(args, commandSettings(fixture.server), { declared });
        assert.match((await command('--help')).out, /^ {2}webhooks .*\n {2}guests {8}read and clear the guest book\n/m);
        const { out: help } = await command('guests', '--help');
        assert.match(help, /^ {2}guests list\n {2}guests clear$/m);
        assert.match(help, /^ {2}gatehouse guests list --json$/m);
        assert.deepEqual(JSON.parse((await command('guests', 'list', '--json')).out), { guests: ['Ann'] });
        const { code, err } = await command('guests', 'sing');
        assert.equal(code, 64);
        assert.equal(err, help);
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
        const subjects = mailsIn(outbox.file('mails')).map(({ subject }) => subject);
        assert.equal(subjects.filter(subject => subject === 'Welcome').length, 1);
      });

      it('has a step of every sign-in, in its place, after which the client gets its code', async () => {
        const { server } = fixture;
        const visitor = new Visitor(server.base);
        const read = (seen: Seen) => visitor.send(formWith(seen, 'pending'), { action: 'read' });
        const asked = await signIn(server, {}, { visitor });
        assert.match(asked.text, /<h1>House rules<\/h1>/);
        assert.match(answerIn(await read(asked)).code ?? '', /./);
        const again = await signIn(server, { prompt: 'consent' }, { visitor });
        assert.match(again.text, /name="action" value="allow"/);
        const agreed = await visitor.send(formWith(again, 'pending'), { action: 'allow' });
        assert.match(answerIn(await read(agreed)).code ?? '', /./);
        assert.equal(answerIn(await signIn(server, { prompt: 'none' }, { visitor })).error, 'consent_required');
        assert.equal((await visitor.follow(fixture.at('/account'))).status, 200, 'no page of the server itself asks');
      });

      it('has a table, which `gatehouse copy` takes along', async () => {
        const copy = parseDatabaseAddress(`sqlite:${outbox.file('copy.db')}`) ?? assert.fail();
        const { config } = fixture.server.services;
        const transfer = await openTransfer(config.database, copy, storeTables(declared));
        // The server may write to other tables meanwhile.
        const outcome = await copyStore(transfer, () => {});
        assert(outcome.kind !== 'refused');
        const { source, target } = outcome.verified.find(({ table }) => table === 'guests') ?? assert.fail();
        assert.equal(target.rows, 1);
        assert.deepEqual(target, source);
        await transfer.source.close();
        await transfer.target.close();
      });

      it('… and whose rows are purged when their time is over', async () => {
        const { store, clock } = fixture.server.services;
        const guests = coldGuests(store.cold);
        await guests.add('left', 'Bob', clock.now() - RETENTION_SECONDS - 1);
        await guests.add('leaving', 'Cem', clock.now() - RETENTION_SECONDS);
        await store.purge(clock.now(), 100);
        assert.deepEqual(await guests.names(), ['Ann', 'Cem']);
      });

      it('… and which stays when a store is opened again', async () => {
        const { config, store } = fixture.server.services;
        assert.deepEqual(await migrateStore(config.database, { tables: storeTables(declared) }), []);
        assert.deepEqual(await coldGuests(store.cold).names(), ['Ann', 'Cem']);
      });

      it('has fields in the forms of the console, which show and change them', async () => {
        const { owner } = fixture;
        const { visitor, seen } = await fixture.inConsole('/console/applications/new');
        const values = { code: 'museum', name: 'Museum' };
        await visitor.send(filledForm(seen, 'code'), values);
        assert.equal((await owner.ask('GET', '/applications/museum')).json.guests_shown, 10);
        const settings = await visitor.go(fixture.at('/console/applications/museum/sign-in'));
        assert.match(settings.text, /<label for="guests_shown">Guests shown<\/label>/);
        await visitor.send(filledForm(settings, 'guests_shown'), { guests_shown: '4' });
        assert.equal((await owner.ask('GET', '/applications/museum')).json.guests_shown, 4);
        const client = await visitor.go(fixture.at('/console/applications/shop/clients/fresh/permissions'));
        assert.match(client.text, /<option value="open" selected>Open<\/option><option value="closed">Closed</);
        await visitor.send(filledForm(client, 'guest_book'), { guest_book: 'closed' });
        assert.equal((await owner.ask('GET', '/applications/shop/clients/fresh')).json.guest_book, 'closed');
      });

      it('has a job, a metric of what waits, and an operation of the store, which is measured', async () => {
        const { services } = fixture.server;
        const metrics = async () => (await get(fixture.at('/metrics'), { authorization: `Bearer ${TOKEN}` })).text;
        const stop = startJobs(services);
        try {
          await until('the job has run', () => /guests\.counted.*\b2\b/.test(fixture.server.logged()));
          await until('it is counted', async () => /^gatehouse_guests_waiting 2$/m.test(await metrics()));
          assert.match(await metrics(), /^gatehouse_store_\w+_count\{operation="countGuests"\} \d/m);
        } finally {
          await stop();
        }
      });

      it('and its operations change what it has', async () => {
        assert.equal((await fixture.owner.ask('DELETE', '/guest_book')).status, 204);
        assert.deepEqual(await coldGuests(fixture.server.services.store.cold).names(), []);
      });

      it('… with an event of its own: in the audit log, its filter, the console, and for webhooks', async () => {
        const { owner, server } = fixture;
        const type = 'guest_book.cleared';
        const { items } = (await owner.ask('GET', `/events?type=${type}`)).json;
        assert.deepEqual(
          items.map((each: { type: string }) => each.type),
          [type],
        );
        const unknown = await owner.ask('GET', '/events?type=guest_book.sung');
        assert.deepEqual(unknown.json.errors, [
          { pointer: '/type/0', detail: 'must be a type of docs/events.md, or several separated by commas' },
        ]);
        const { seen } = await fixture.inConsole('/console/activity');
        assert.match(seen.text, /<strong>Guest book cleared<\/strong>/);
        const webhook = { url: 'https://crm.example/hooks', event_types: [type] };
        assert.deepEqual((await owner.ask('POST', '/webhooks', webhook)).json.event_types, [type]);
        const { json } = await get(`${server.base}/api/v1/admin/openapi.json`);
        const { schema } = json.paths['/webhooks'].post.requestBody.content['application/json'];
        assert(schema.properties.event_types.items.enum.includes(type));
      });
    });
  }

  it('a name that two capabilities declare is refused at the start', async () => {
    const never = () => Promise.reject();
    for (const twice of [
      capability('again', { grants: { refresh_token: {} } }),
      capability('again', { steps: { totp: step(totpRule, () => Promise.reject(), 'totp') } }),
      capability('again', { tables: guestTables.map(each => ({ ...each, name: 'users' })) }),
      capability('again', { store: guestBook.store ?? [] }),
      capability('again', { failures: { notFound: guestFailures.guestUnknown } }),
      capability('again', { events: guestEvents }),
      capability('again', { deferredMails: { newBrowser: () => Promise.reject() } }),
      capability('again', {
        places: {
          users: { path: '', order: 1, needs: 'listUsers', look: { group: 'top', icon: 'page' }, title: never },
        },
      }),
      capability('again', { operations: [{ addresses: { '/users': { GET: 'listUsers' } }, load: async () => ({}) }] }),
    ]) {
      await assert.rejects(loadTables([...declared, twice]), /two capabilities declare/);
    }
    const nowhere = step({ ...totpRule, after: 'nothing' }, () => Promise.reject(), 'totp');
    await assert.rejects(
      loadTables([...capabilities, capability('again', { steps: { nowhere } })]),
      /the step nowhere does not say which step it follows/,
    );
    const { guestBookFields } = await import('./toy/fields.ts');
    const { fields } = await loadTables([
      ...capabilities,
      guestBook,
      capability('again', { fields: async () => guestBookFields }),
    ]);
    await assert.rejects(fields(), /two capabilities declare the field guest_book of a client/);
    const { routes } = await loadTables([...capabilities, capability('again', { routes: [page('/login', {})] })]);
    const { nounsOf } = await import('../../src/assembly/nouns.ts');
    const verbOf = (noun: string) =>
      capability('again', {
        operations: [
          operationsOf(async () => ({ listUsers }), {}).onCommandLine(noun, { list: { operation: 'listUsers' } }),
        ],
      });
    for (const [again, reason] of [
      [capability('again', { nouns: { users: { order: 1, summary: '' } } }), /two capabilities declare the noun users/],
      [verbOf('users'), /two capabilities declare the verb of users list/],
      [verbOf('nobody'), /no capability declares the noun nobody/],
    ] as const) {
      assert.throws(() => nounsOf([...capabilities, again]), reason);
    }
    const { createRouter } = await import('../../src/platform/http/router.ts');
    assert.throws(() => createRouter(routes), /two routes for \/login/);
  });
});
