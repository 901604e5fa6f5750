import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { after, beforeEach, describe, it } from 'node:test';
import { commandSettings, gatehouse, gatehouseOnTerminal, gatehouseReading, runCommand } from '../../build/command.ts';
import { aClient, anApplication } from '../../build/fixture.ts';
import { stopOwnServer } from '../../build/postgres.ts';
import { testPart } from '../../build/suite-part.ts';
import { startTestServer } from '../../build/test-server.ts';
import { temporaryFolder } from '../../store/temporary-folder.ts';

after(stopOwnServer);

const ORDERS = { identifier: 'https://orders.example', name: 'Orders', scopes: { 'orders:read': 'Read orders' } };
/** It removes an API and both clients. */
const EMPTIED = 'applications:\n  - code: shop\n    apis: []\n    clients:\n    name: Store\n';
const REMOVALS = ['- client shop/till', '- client shop/web', '- api shop/https://orders.example'];

const NOES = [
  ['a no', 'n\r'],
  ['an empty answer', '\r'],
  ['Ctrl-D', '\u0004'],
  ['Ctrl-C', '\u0003'],
] as const;

for (const store of ['SQLite', 'PostgreSQL'] as const) {
  describe(`removals by an empty list on ${store} (running.md, The apply file)`, () => {
    const folder = testPart(temporaryFolder);
    const server = testPart(() => {
      const application = anApplication({ apis: [ORDERS], clients: [aClient(), aClient({ client_id: 'till' })] });
      return startTestServer({ applications: [application], users: [], store });
    });
    beforeEach(() => {
      writeFileSync(folder.file('emptied.yaml'), EMPTIED);
    });
    const run = (command: string, ...options: string[]) =>
      gatehouse(server, command, ...options, folder.file('emptied.yaml'));
    const onTerminal = (answer: string) => {
      let isAsked = false;
      return gatehouseOnTerminal(
        server,
        (printed, typeText) => {
          if (isAsked || !printed.includes('[y/N]')) return;
          isAsked = true;
          typeText(answer);
        },
        'apply',
        folder.file('emptied.yaml'),
      );
    };
    const isUnchanged = async () => {
      const { application } = (await server.services.store.findStoredApplication('shop')) ?? {};
      assert.deepEqual([application?.name, application?.apis?.length], ['Shop', 1]);
      assert.equal((await server.services.store.clientsOf('shop')).length, 2);
    };
    const isChanged = async () => {
      const { application } = (await server.services.store.findStoredApplication('shop')) ?? {};
      assert.deepEqual([application?.name, application?.apis], ['Store', []]);
      assert.deepEqual(await server.services.store.clientsOf('shop'), []);
    };

    it('are refused without a terminal, shown as removals, and nothing changes', async () => {
      for (const refused of [
        await run('apply'),
        await gatehouseReading(server, EMPTIED, 'apply', '-'),
        await run('apply', '--json'),
      ]) {
        const err = [...REMOVALS, '3 removals: nothing was changed. Confirm with --yes', ''].join('\n');
        assert.deepEqual(refused, { code: 77, out: '', err });
      }
      await isUnchanged();
    });

    it('are shown by diff and --dry-run, which ask nothing', async () => {
      const planned = await run('diff');
      assert.deepEqual([planned.code, planned.err], [1, '']);
      assert.deepEqual(planned.out.split('\n').slice(0, 3), REMOVALS);
      const { changes } = JSON.parse((await run('diff', '--json')).out);
      assert.deepEqual(changes[2], {
        ...{ action: 'delete', type: 'api', application: 'shop', identifier: 'https://orders.example', fields: [] },
      });
      const dry = await run('apply', '--dry-run');
      assert.equal(dry.code, 0);
      assert.match(
        dry.out,
        /^client shop\/till: deleted\nclient shop\/web: deleted\napi shop\/https:\/\/orders\.example: deleted\n/,
      );
      await isUnchanged();
    });

    for (const option of ['--yes', '--prune']) {
      it(`are made with ${option}, and the second time there is nothing to ask`, async () => {
        const made = await run('apply', option);
        assert.deepEqual([made.code, made.err], [0, '']);
        await isChanged();
        assert.deepEqual(await run('apply'), { code: 0, out: 'Nothing to change.\n', err: '' });
      });
    }

    it('are made after a yes on the terminal', async () => {
      const { code, out } = await onTerminal('yes\r');
      assert.equal(code, 0, out);
      for (const line of REMOVALS) assert(out.includes(line), out);
      assert.match(out, /3 removals\. Go on\? \[y\/N\]/);
      await isChanged();
    });

    // The answer does not reach the store, so one store is enough.
    for (const [what, answer] of store === 'SQLite' ? NOES : []) {
      it(`are not made after ${what}`, async () => {
        const { code, out } = await onTerminal(answer);
        assert.equal(code, 77, out);
        await isUnchanged();
      });
    }

    it('are not made for what came while the question was open', async () => {
      let adding: Promise<unknown> | undefined;
      const late = aClient({ client_id: 'late' });
      const { code, out } = await gatehouseOnTerminal(
        server,
        (printed, typeText) => {
          if (adding || !printed.includes('[y/N]')) return;
          adding = server.provision({ applications: [anApplication({ apis: [ORDERS], clients: [late] })] });
          void adding.then(() => typeText('y\r'));
        },
        'apply',
        folder.file('emptied.yaml'),
      );
      const left = (await server.services.store.clientsOf('shop')).map(({ client_id }) => client_id);
      assert.equal(code, 65, `${out}\nleft: ${left}`);
      assert.match(out, /the store has changed meanwhile/);
      assert.deepEqual(left, ['late', 'till', 'web']);
    });

    if (store === 'SQLite') {
      it('are not made for what came in the turn of the event loop that asks: the reads of a turn share a snapshot', async () => {
        let isAsked = false;
        const type = (printed: string, typeText: (text: string) => void) => {
          if (isAsked || !printed.includes('[y/N]')) return;
          isAsked = true;
          using other = new DatabaseSync(server.services.config.database.url.slice('sqlite:'.length));
          other.exec(
            "INSERT INTO clients SELECT app, 'late', secret_hash, metadata FROM clients WHERE client_id = 'web'",
          );
          typeText('y\r');
        };
        const args = ['apply', folder.file('emptied.yaml')];
        const { code, err } = await runCommand(args, commandSettings(server), { terminal: ['stderr'], type });
        assert.equal(code, 65, err);
        assert.match(err, /the store has changed meanwhile/);
        assert.equal((await server.services.store.clientsOf('shop')).length, 3);
      });
    }

    it('are in no way an empty list of applications or users', async () => {
      writeFileSync(folder.file('nothing.json'), JSON.stringify({ applications: [], users: [] }));
      const ran = await gatehouse(server, 'apply', '--yes', folder.file('nothing.json'));
      assert.deepEqual(ran, { code: 0, out: 'Nothing to change.\n', err: '' });
      await isUnchanged();
    });
  });
}
