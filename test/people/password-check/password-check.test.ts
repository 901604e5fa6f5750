import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sql } from '../../../src/platform/store/sql.ts';
import { assertRefused, claimsOf, redeem, token, userinfo } from '../../build/client.ts';
import { inConsole, titleOf } from '../../build/console.ts';
import { openDirectory } from '../../build/directory.ts';
import { eventsDuring } from '../../build/events.ts';
import { aClient, anApplication, aUser, PASSWORD, type ProviderInput } from '../../build/fixture.ts';
import { anOperatorClient, type OperatorClient } from '../../build/operator.ts';
import { suitePart } from '../../build/suite-part.ts';
import { startTestServer, type TestServer } from '../../build/test-server.ts';
import { answerIn, type Seen, signIn } from '../../build/visitor.ts';
import { type OldSystem, openOldSystem, SIGNING_SECRET } from './old-system.ts';

/** Each a person whose first sign-ins come at once. */
const RACES = 25;

const PEOPLE = {
  olga: { password: 'olga knew it', claims: { sub: 17, preferred_username: 'olga', name: 'Olga Old' } },
  omar: { password: 'omar knew it', claims: { sub: '18', preferred_username: 'omar', groups: ['buyers'] } },
  ...Object.fromEntries(
    Array.from({ length: RACES }, (_, of) => [
      `racer${of}`,
      { password: 'it is known', claims: { sub: `racer${of}`, preferred_username: `racer${of}` } },
    ]),
  ),
  otto: { password: 'otto knew it', claims: { sub: '19', preferred_username: 'otto' } },
  alice: { password: 'of the other alice', claims: { sub: '20', preferred_username: 'alice' } },
};

/** As if the process ended there: the database does not take the mark. */
const FAULTY_MARK = {
  SQLite: {
    begin: [
      sql`CREATE TRIGGER no_mark BEFORE UPDATE OF moved_at ON user_links BEGIN SELECT RAISE(ABORT, 'no mark'); END`,
    ],
    end: [sql`DROP TRIGGER no_mark`],
  },
  PostgreSQL: {
    begin: [
      sql`CREATE FUNCTION no_mark() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no mark'; END $$`,
      sql`CREATE TRIGGER no_mark BEFORE UPDATE OF moved_at ON user_links FOR EACH ROW EXECUTE FUNCTION no_mark()`,
    ],
    end: [sql`DROP TRIGGER no_mark ON user_links`, sql`DROP FUNCTION no_mark`],
  },
} as const;

interface Moving {
  readonly server: TestServer;
  readonly old: OldSystem;
  readonly operator: OperatorClient;
}

function moving(store: 'SQLite' | 'PostgreSQL', over: Partial<ProviderInput> = {}): Moving {
  let started: Moving | undefined;
  before(async () => {
    const old = await openOldSystem(PEOPLE);
    const server = await startTestServer({
      env: { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1' },
      store,
      applications: [],
      users: [aUser(), aUser({ username: 'omar', email: null, phone_number: null, password: undefined })],
    });
    const provider = {
      id: 'old',
      type: 'password-check',
      url: old.url,
      signing_secret: SIGNING_SECRET,
      ...over,
    } as const;
    await server.provision({
      providers: [provider],
      applications: [anApplication({ providers: ['old'], clients: [aClient({ scope: 'openid profile groups' })] })],
    });
    started = { server, old, operator: await anOperatorClient(server) };
  });
  after(async () => {
    await started?.server.close();
    await started?.old.close();
  });
  const own = () => started ?? assert.fail('the servers start with the first test of the suite');
  return {
    get server() {
      return own().server;
    },
    get old() {
      return own().old;
    },
    get operator() {
      return own().operator;
    },
  };
}

const typed = (server: TestServer, username: string, password: string) =>
  signIn(server, { scope: 'openid profile groups' }, { username, password });

async function claimsAfter(server: TestServer, seen: Seen) {
  const { json } = await redeem(server, answerIn(seen).code);
  return { ...(await userinfo(server, json.access_token)).json, ...claimsOf(json.id_token) };
}

function assertNotIn(seen: Seen): void {
  assert.equal(seen.location, undefined);
}

for (const store of ['SQLite', 'PostgreSQL'] as const) {
  describe(`moving in slowly, on ${store}`, () => {
    const it1 = moving(store, { groups: { buyers: 'customers' }, expected_users: 4 });

    it('asks the old system at the first sign-in, and never again about this person', async () => {
      const { server, old } = it1;
      const events = await eventsDuring(server, 'user.moved', async () => {
        const claims = await claimsAfter(server, await typed(server, 'olga', 'olga knew it'));
        assert.deepEqual(claims.amr, ['pwd']);
        assert.equal(claims.name, 'Olga Old');
      });
      assert.equal(events.length, 1);
      const asked = old.asked.length;
      await claimsAfter(server, await typed(server, 'olga', 'olga knew it'));
      assertNotIn(await typed(server, 'olga', 'something else'));
      assert.equal(old.asked.length, asked);
    });

    it('refuses what the old system refuses', async () => {
      assertNotIn(await typed(it1.server, 'otto', 'a guess'));
      assertNotIn(await typed(it1.server, 'nobody', 'a guess'));
    });

    it('gives an account that waited without any way in to its person', async () => {
      const { server } = it1;
      const waiting = await server.services.store.findAccount('omar');
      const claims = await claimsAfter(server, await typed(server, 'omar', 'omar knew it'));
      assert.equal(claims.sub, waiting?.sub);
    });

    it('does not ask about an account that has a password here', async () => {
      const { server, old } = it1;
      assertNotIn(await typed(server, 'alice', 'of the other alice'));
      assert.equal(old.asked.includes('alice'), false);
      assert(answerIn(await typed(server, 'alice', PASSWORD)).code);
    });

    it('counts who has moved, and who is left', async () => {
      const { json } = await it1.operator.ask('GET', '/provider_moves/old');
      assert.deepEqual(
        { ...json, last_moved_at: typeof json.last_moved_at },
        { id: 'old', moved: 2, left: 0, waiting: 0, expected: 4, last_moved_at: 'string', can_be_switched_off: false },
      );
    });

    it('shows on the console how far the move is', async () => {
      await it1.operator.ask('POST', '/operators', { username: 'alice', role: 'auditor' });
      const { seen } = await inConsole(it1.server, '/console/providers/old/move');
      assert.equal(titleOf(seen), 'old');
      assert.match(seen.text, /2 of 4 people have moved\./);
      assert.match(seen.text, /Keep the old system running/);
    });

    it('moves a person all at once: what fails at the mark that it has moved keeps no password either', async () => {
      const { server, old, operator } = it1;
      const { cold } = server.services.store;
      old.people.set('pia', { password: 'pia knew it', claims: { sub: 'p-1', preferred_username: 'pia' } });
      const faults = FAULTY_MARK[store];
      for (const statement of faults.begin) await cold.write(statement);
      assertNotIn(await typed(server, 'pia', 'pia knew it'));
      for (const statement of faults.end) await cold.write(statement);
      const account = await server.services.store.findAccount('pia');
      assert(account, 'the account is there, and waits');
      assert.equal(account.passwordHash, undefined);
      const events = await eventsDuring(server, 'user.moved', async () => {
        assert.equal((await claimsAfter(server, await typed(server, 'pia', 'pia knew it'))).sub, account.sub);
      });
      assert.equal(events.length, 1);
      assert.equal((await operator.ask('DELETE', `/users/${account.sub}/factors/password`)).status, 204);
      assertNotIn(await typed(server, 'pia', 'pia knew it'));
    });

    it('lets a person in at each of four first sign-ins at once, as one account', async () => {
      const { server } = it1;
      for (let race = 0; race < RACES; race++) {
        const all = await Promise.all(Array.from({ length: 4 }, () => typed(server, `racer${race}`, 'it is known')));
        const subs = await Promise.all(all.map(async seen => (await claimsAfter(server, seen)).sub));
        assert.equal(new Set(subs).size, 1);
      }
    });
  });
}

describe('an old system', () => {
  const it1 = moving('SQLite');
  const answers: readonly (readonly [string, { readonly status: number; readonly body: string }])[] = [
    ['with another signing secret', { status: 400, body: '' }],
    ['with a fault', { status: 500, body: '{"sub":"17"}' }],
    ['that redirects', { status: 302, body: '{"sub":"17"}' }],
    ['that says no more than yes', { status: 200, body: '{"ok":true}' }],
    ['that answers with no JSON', { status: 200, body: '<html>' }],
    ['that answers with too much', { status: 200, body: `{"sub":"17","x":"${'x'.repeat(70_000)}"}` }],
  ];
  for (const [what, answer] of answers) {
    it(`${what} lets nobody in`, async () => {
      it1.old.answer = answer;
      assertNotIn(await typed(it1.server, 'olga', 'olga knew it'));
      it1.old.answer = undefined;
      // It is left alone after three failures.
      it1.server.services.providerHealth.note('old', true);
    });
  }

  it('gives nobody a disabled account that waits, nor one with a role, nor another in its place', async () => {
    const { server, old } = it1;
    const { store } = server.services;
    await server.provision({
      users: ['dan', 'root'].map(username =>
        aUser({ username, email: null, phone_number: null, phone_number_verified: false, password: undefined }),
      ),
    });
    const [dan, root] = await Promise.all(['dan', 'root'].map(name => store.findAccount(name)));
    assert(dan && root);
    await it1.operator.ask('PATCH', `/users/${dan.sub}`, { disabled: true });
    await it1.operator.ask('POST', '/operators', { sub: root.sub, role: 'owner' });
    assert(await store.findOperator(root.sub));
    old.people.set('dan', { password: 'dan knew it', claims: { sub: 'd-1', preferred_username: 'dan' } });
    old.people.set('root', { password: 'root knew it', claims: { sub: 'r-1', preferred_username: 'root' } });
    assertNotIn(await typed(server, 'dan', 'dan knew it'));
    assert.equal(await store.findLinkedAccount({ provider: 'old', subject: 'd-1' }), undefined);
    await typed(server, 'root', 'root knew it');
    assert.deepEqual(await store.linksOf(root.sub), []);
    assert.equal((await store.findAccount('root'))?.passwordHash, undefined);
  });

  it('is not paused for others by a name that it does not take, and not asked about one that is none', async () => {
    const { server, old } = it1;
    for (const status of [413, 414, 422, 431, 429]) {
      old.answer = { status, body: '' };
      assertNotIn(await typed(server, 'someone', 'a guess'));
    }
    old.answer = undefined;
    assert.equal(server.services.providerHealth.isAvailable('old'), true);
    const asked = old.asked.length;
    assertNotIn(await typed(server, 'x'.repeat(300), 'a guess'));
    assert.equal(old.asked.length, asked);
  });

  it('is asked by the password grant too', async () => {
    const grant = (password: string) =>
      token(it1.server, { grant_type: 'password', username: 'olga', password, scope: 'openid' });
    assertRefused(await grant('a guess'), 400, 'invalid_grant');
    assert.deepEqual(claimsOf((await grant('olga knew it')).json.id_token).amr, ['pwd']);
  });

  it('gives a waiting account to nobody whose name there differs in capitals alone', async () => {
    const { server, old } = it1;
    const waiting = (username: string) => aUser({ username, email: null, phone_number: null, password: undefined });
    await server.provision({ users: [waiting('ines'), waiting('uta')] });
    const subOf = async (name: string) => (await server.services.store.findAccount(name))?.sub;
    const comesIn = async (name: string, password: string) =>
      (await claimsAfter(server, await typed(server, name, password))).sub;
    old.people.set('ines', { password: 'of the first', claims: { sub: '30', preferred_username: 'ines' } });
    old.people.set('Ines', { password: 'of the second', claims: { sub: '31', preferred_username: 'Ines' } });
    assert.notEqual(await comesIn('Ines', 'of the second'), await subOf('ines'));
    assert.equal(await comesIn('ines', 'of the first'), await subOf('ines'));
    // One who is the same person in both spellings.
    const uta = { password: 'of Uta', claims: { sub: '32', preferred_username: 'uta' } };
    for (const name of ['uta', 'Uta']) old.people.set(name, uta);
    assert.equal(await comesIn('Uta', 'of Uta'), await subOf('uta'));
  });

  it('does not let in again by its password whoever has another one here', async () => {
    const { server } = it1;
    const account = await server.services.store.findAccount('olga');
    assert(account);
    const hash = await server.services.passwords.hash('a newer password');
    await server.services.store.changePassword(account.sub, hash, server.services.clock.now());
    // Under another name there, which nobody has here.
    it1.old.people.set('olga-b', PEOPLE.olga);
    assertNotIn(await typed(server, 'olga-b', 'olga knew it'));
    assert(answerIn(await typed(server, 'olga', 'a newer password')).code);
  });

  it('does not let in again by its password whoever moved, and whose password was removed here since', async () => {
    const { server, operator } = it1;
    assert(answerIn(await typed(server, 'otto', 'otto knew it')).code);
    const account = await server.services.store.findAccount('otto');
    const removed = await operator.ask('DELETE', `/users/${account?.sub}/factors/password`);
    assert.equal(removed.status, 204, removed.text);
    assertNotIn(await typed(server, 'otto', 'otto knew it'));
    assert.equal((await server.services.store.findAccount('otto'))?.passwordHash, undefined);
  });
});

describe('an old system, and local_sign_in: false', () => {
  const it1 = moving('SQLite');
  const reason = /local_sign_in.*must be true with old/s;

  it('are refused together, since who has moved has a password here and could not come in: by file and API, whichever comes last', async () => {
    const { operator } = it1;
    const byFile = async (over: object) =>
      (await operator.ask('POST', '/apply', { file: { applications: [{ code: 'shop', ...over }] } })).text;
    assert.match(await byFile({ local_sign_in: false }), reason);
    const path = '/applications/shop';
    const refused = await operator.ask('PATCH', path, { local_sign_in: false });
    assert.equal(refused.status, 400, refused.text);
    assert.match(refused.text, reason);
    assert.equal((await operator.ask('PATCH', path, { local_sign_in: false, providers: [] })).status, 200);
    assert.match((await operator.ask('PATCH', path, { providers: ['old'] })).text, reason);
    assert.match(await byFile({ providers: ['old'] }), reason);
    const other = { code: 'other', name: 'Other', providers: ['old'], local_sign_in: false };
    assert.match((await operator.ask('POST', '/applications', other)).text, reason);
    assert.match(await byFile(other), reason);
    assert.equal((await operator.ask('PATCH', path, { providers: ['old'], local_sign_in: true })).status, 200);
  });
});

describe('an old system that is a directory', () => {
  const corp = suitePart(() => openDirectory({ people: [{ uid: 'bob', password: 'of bob at corp' }] }));
  const server = suitePart(() => startTestServer({ env: { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1' }, applications: [] }));
  before(async () => {
    await server.provision({
      providers: [{ ...corp.provider(), type: 'password-check' }],
      applications: [anApplication({ providers: ['corp'], clients: [aClient({ scope: 'openid profile groups' })] })],
    });
  });

  it('is needed once', async () => {
    assert.deepEqual((await claimsAfter(server, await typed(server, 'bob', 'of bob at corp'))).amr, ['pwd']);
    await corp.stop();
    assert.deepEqual((await claimsAfter(server, await typed(server, 'bob', 'of bob at corp'))).amr, ['pwd']);
  });
});
