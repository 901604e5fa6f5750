import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { openPostgresStore } from '../../src/assembly/store.postgres.ts';
import { openSqliteStore } from '../../src/assembly/store.sqlite.ts';
import type { Application } from '../../src/directory/clients/rules.ts';
import { migrations as postgresMigrations } from '../../src/platform/store/postgres/schema/migrations.ts';
import { connect } from '../../src/platform/store/sqlite/database.ts';
import { migrations as sqliteMigrations } from '../../src/platform/store/sqlite/schema/migrations.ts';
import type { Store } from '../../src/store.ts';
import { createDatabase, stopOwnServer } from '../build/postgres.ts';
import { anEvent } from './contract/events.ts';
import {
  account,
  aFamily,
  aFixture,
  alive,
  application,
  client,
  code,
  DAY,
  digest,
  NOW,
  presentedCode,
  rotation,
  tokens,
} from './contract/given.ts';
import { temporaryFolder } from './temporary-folder.ts';

interface Opened {
  readonly store: Store;
  /** Straight to the database, as the release before would have left it. */
  run(sql: string): Promise<unknown>;
  /** The column `value` of the only row. */
  value(sql: string): Promise<unknown>;
  discard(): Promise<void>;
}

after(stopOwnServer);

const stores: Readonly<Record<string, () => Promise<Opened>>> = {
  SQLite: async () => {
    const folder = temporaryFolder();
    const path = folder.file('gatehouse.db');
    const store = openSqliteStore(path);
    return {
      store,
      run: async sql => {
        const connection = new DatabaseSync(path, { timeout: 5000 });
        connection.exec(sql);
        connection.close();
      },
      value: async sql => {
        const connection = new DatabaseSync(path, { timeout: 5000 });
        const row = connection.prepare(sql).get();
        connection.close();
        return row?.value;
      },
      discard: async () => {
        await store.close();
        folder.remove();
      },
    };
  },
  PostgreSQL: async () => {
    const database = await createDatabase();
    const store = await openPostgresStore(database.address);
    return {
      store,
      run: sql => database.query(sql),
      value: async sql => (await database.query(sql))[0]?.value,
      discard: async () => {
        await store.close();
        await database.drop();
      },
    };
  },
};

for (const [name, open] of Object.entries(stores)) {
  describe(`what the release before has left in ${name}`, () => {
    let opened: Opened;
    before(async () => {
      opened = await open();
    });
    after(() => opened.discard());

    it('a password that a node of it sets, changes or removes meanwhile counts for this release', async () => {
      const { store } = opened;
      const no = name === 'SQLite' ? '0' : 'false';
      const hash = async () => {
        // A read of the same turn of the event loop may still see what was there before (store.ts).
        await setImmediate();
        return (await store.findAccount('former'))?.passwordHash;
      };
      await opened.run(
        `INSERT INTO users (sub, username, email_verified, phone_number_verified, password_hash, disabled, updated_at)
         VALUES ('sub-former', 'former', ${no}, ${no}, 'first', ${no}, ${NOW})`,
      );
      await opened.run("INSERT INTO login_names (login_name, sub) VALUES ('former', 'sub-former')");
      assert.equal(await hash(), 'first');
      await opened.run("UPDATE users SET password_hash = 'second' WHERE sub = 'sub-former'");
      assert.equal(await hash(), 'second');
      await opened.run("UPDATE users SET password_hash = NULL WHERE sub = 'sub-former'");
      assert.equal(await hash(), undefined);
      await opened.run("UPDATE users SET password_hash = 'third', nickname = 'F' WHERE sub = 'sub-former'");
      assert.equal(await hash(), 'third');
    });

    it('and it finds the password that this release sets, changes or removes', async () => {
      const { store } = opened;
      const { user } = await aFixture(store);
      const seen = () => opened.value(`SELECT password_hash AS value FROM users WHERE sub = '${user.sub}'`);
      assert.equal(await seen(), user.passwordHash);
      await store.changePassword(user.sub, 'second', NOW);
      assert.equal(await seen(), 'second');
      await store.replacePasswordHash(user.sub, 'second', 'third');
      assert.equal(await seen(), 'third');
      await store.changePassword(user.sub, undefined, NOW);
      assert.equal(await seen(), null);
      const imported = account({ passwordHash: 'imported' });
      await store.importUsers([{ account: imported, keepsSub: true, change: undefined }], () => anEvent());
      const column = `SELECT password_hash AS value FROM users WHERE sub = '${imported.sub}'`;
      assert.equal(await opened.value(column), 'imported');
      const credential = `SELECT data AS value FROM credentials WHERE sub = '${imported.sub}' AND id = 'password'`;
      assert.equal(await opened.value(credential), 'imported');
    });

    it('a token family without a beginning counts from its login (row 41)', async () => {
      const { store } = opened;
      const fixture = await aFixture(store);
      const pair = await aFamily(store, { ...fixture, grant: { ...fixture.grant, authTime: NOW - 170 * DAY } });
      await opened.run('UPDATE grants SET started_at = NULL');
      const turn = rotation(pair.refresh.hash);
      assert.equal((await store.rotateRefreshToken(fixture.app, turn)).kind, 'rotated');
      const successor = turn.successors[0] ?? digest();
      assert.equal((await store.findRefreshToken(fixture.app, successor, NOW))?.expiresAt, NOW + 10 * DAY);
      const late = rotation(successor, { issuedAt: NOW + 10 * DAY });
      assert.deepEqual(await store.rotateRefreshToken(fixture.app, late), { kind: 'refused', verdict: 'expired' });
    });

    it('a token family that is too old already gets no successor that would be dead at once', async () => {
      const { store } = opened;
      const fixture = await aFixture(store);
      const pair = await aFamily(store, { ...fixture, grant: { ...fixture.grant, authTime: NOW - 180 * DAY } });
      await opened.run('UPDATE grants SET started_at = NULL');
      const outcome = await store.rotateRefreshToken(fixture.app, rotation(pair.refresh.hash));
      assert.deepEqual(outcome, { kind: 'refused', verdict: 'expired' });
    });

    it('a code that a node of it has issued meanwhile brings a refresh token', async () => {
      const { store } = opened;
      const fixture = await aFixture(store);
      const { codeHash } = code(fixture.grant);
      const bytes = Buffer.from(codeHash).toString('hex');
      const [hash, no] = name === 'SQLite' ? [`x'${bytes}'`, '0'] : [`'\\x${bytes}'`, 'false'];
      await store.addCode(fixture.app, code(fixture.grant));
      await opened.run(
        `INSERT INTO codes (app, code_hash, client_id, sub, scope, auth_time, amr, redirect_uri,
           client_authentication_required, expires_at)
         VALUES ('${fixture.app}', ${hash}, 'web', '${fixture.user.sub}', 'openid', ${NOW}, 'pwd',
           '${presentedCode.redirectUri}', ${no}, ${NOW + 300})`,
      );
      const pair = tokens();
      const outcome = await store.redeemCode(fixture.app, codeHash, presentedCode, pair);
      assert(outcome.kind === 'redeemed' && outcome.withRefresh);
      assert.equal((await alive(store, fixture.app, pair)).refresh, true);
    });

    it('an application without refresh_family_ttl has the default of 180 days', async () => {
      const { refresh_family_ttl: _, ...stored } = application();
      await opened.store.provision([{ kind: 'application', application: stored as Application }]);
      assert.equal((await opened.store.findApplication(stored.code))?.refresh_family_ttl, 180 * DAY);
    });

    it('an application without password_min_length has the default of 8 characters', async () => {
      const { password_min_length: _, ...stored } = application();
      await opened.store.provision([{ kind: 'application', application: stored as Application }]);
      assert.equal((await opened.store.findApplication(stored.code))?.password_min_length, 8);
    });

    it('a grace period of an hour counts as 120 seconds, and a public client rotates (row 41)', async () => {
      const { code: app } = application();
      await opened.store.provision([
        { kind: 'application', application: application({ code: app }) },
        { kind: 'client', app, client: client({ refresh_token_grace: 3600, refresh_token_rotation: false }) },
        {
          kind: 'client',
          app,
          client: client({ client_id: 'spa', token_endpoint_auth_method: 'none', refresh_token_rotation: false }),
        },
      ]);
      const [web, spa] = [await opened.store.findClient(app, 'web'), await opened.store.findClient(app, 'spa')];
      assert.deepEqual([web?.refresh_token_grace, web?.refresh_token_rotation], [120, false]);
      assert.equal(spa?.refresh_token_rotation, true);
    });
  });
}

/** The previous release has run the first two migrations. It made a key of every algorithm when the key set was first requested. */
const upgraded: Readonly<Record<string, (sql: string) => Promise<Opened>>> = {
  SQLite: async sql => {
    const folder = temporaryFolder();
    const path = folder.file('gatehouse.db');
    const { connection } = connect(path, { known: sqliteMigrations.slice(0, 2) });
    connection.exec(sql.replaceAll("'\\x00'", "x'00'"));
    connection.close();
    const store = openSqliteStore(path);
    const discard = async () => {
      await store.close();
      folder.remove();
    };
    return { store, run: () => assert.fail(), value: () => assert.fail(), discard };
  },
  PostgreSQL: async sql => {
    const database = await createDatabase();
    const hosts = [database.url];
    await (await openPostgresStore({ hosts }, { known: postgresMigrations.slice(0, 2) })).close();
    await database.query(sql);
    const store = await openPostgresStore({ hosts });
    const discard = async () => {
      await store.close();
      await database.drop();
    };
    return { store, run: () => assert.fail(), value: () => assert.fail(), discard };
  },
};

for (const [name, upgrade] of Object.entries(upgraded)) {
  it(`an upgrade of ${name} takes the keys that no client uses for unused: the key set leaves them out (issue 10 B.3)`, async () => {
    const keys = ['RS256', 'ES256', 'EdDSA'].map(alg => `('shop', '${alg}', '${alg}', '{}', '\\x00', ${NOW}, ${NOW})`);
    const opened = await upgrade(
      `INSERT INTO applications (code, name, settings) VALUES ('shop', 'Shop', '{}');
       INSERT INTO clients (app, client_id, metadata) VALUES ('shop', 'web', '{"id_token_signed_response_alg":"ES256"}');
       INSERT INTO signing_keys (app, kid, alg, public_jwk, sealed_private_key, created_at, sign_from)
       VALUES ${keys.join(', ')};`,
    );
    const found = await opened.store.signingKeys('shop');
    await opened.discard();
    assert.deepEqual(
      found.filter(({ hasSigned }) => hasSigned).map(({ alg }) => alg),
      ['ES256'],
    );
    assert.equal(found.length, 3);
  });
}

for (const [name, upgrade] of Object.entries(upgraded)) {
  it(`an upgrade of ${name} makes credentials of the passwords`, async () => {
    const no = name === 'SQLite' ? '0' : 'false';
    const opened = await upgrade(
      `INSERT INTO users (sub, username, email_verified, phone_number_verified, password_hash, disabled, updated_at)
         VALUES ('a', 'alice', ${no}, ${no}, 'hash of alice', ${no}, ${NOW}), ('b', 'bob', ${no}, ${no}, NULL, ${no}, ${NOW});
       INSERT INTO login_names (login_name, sub) VALUES ('alice', 'a'), ('bob', 'b');`,
    );
    const hashes = [await opened.store.findAccount('alice'), await opened.store.findAccount('bob')];
    await opened.discard();
    assert.deepEqual(
      hashes.map(found => found && [found.passwordHash, found.disabled]),
      [
        ['hash of alice', false],
        [undefined, false],
      ],
    );
  });
}
