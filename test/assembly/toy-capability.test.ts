import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startJobs } from '../../src/assembly/jobs.ts';
import { loadTables } from '../../src/assembly/tables.ts';
import { capabilities } from '../../src/capabilities.ts';
import { capability } from '../../src/capability.ts';
import { listUsers } from '../../src/directory/users/operations.ts';
import { createMailSender } from '../../src/notify/mail/job.ts';
import { newDeferredMail } from '../../src/notify/mail/queue.ts';
import { operationsOf } from '../../src/operators/api/operation-table.ts';
import { page } from '../../src/platform/http/route.ts';
import { get, post } from '../build/client.ts';
import { commandSettings, runCommand } from '../build/command.ts';
import { type ConsoleFixture, openConsole } from '../build/in-console.ts';
import { mailsIn } from '../build/mailbox.ts';
import { until } from '../build/until.ts';
import { type TemporaryFolder, temporaryFolder } from '../store/temporary-folder.ts';
import { guestBook } from './toy/capability.ts';
import { guests } from './toy/guests.ts';

const declared = [...capabilities, guestBook];
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
        assert.match(seen.text, /Settings<\/a>\n<a href="\/console\/guest-book" aria-current="page">Guest book<\/a>/);
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
    const never = () => Promise.reject();
    for (const twice of [
      capability('again', { grants: [grants] }),
      capability('again', { steps: { totp: () => Promise.reject() } }),
      capability('again', { deferredMails: { newBrowser: () => Promise.reject() } }),
      capability('again', { places: { users: { path: '', order: 1, needs: 'listUsers', title: never } } }),
      capability('again', { operations: [{ addresses: { '/users': { GET: 'listUsers' } }, load: async () => ({}) }] }),
    ]) {
      await assert.rejects(loadTables([...capabilities, twice]), /two capabilities declare/);
    }
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
