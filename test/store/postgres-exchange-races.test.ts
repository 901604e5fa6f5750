/** Exchanges that are not committed yet when what they came from is revoked. */
import assert from 'node:assert/strict';
import { after, afterEach, beforeEach, describe, it } from 'node:test';
import { Client } from 'pg';
import type { Event } from '../../src/audit/events/rules.ts';
import type { ExchangedToken } from '../../src/oauth/token-exchange/store.ts';
import type { Store } from '../../src/store.ts';
import { stopOwnServer } from '../build/postgres.ts';
import { until } from '../build/until.ts';
import { aFixture, credentialKey, type Fixture, NOW, type Opened, unique } from './contract/given.ts';
import { tokens } from './contract/given-tokens.ts';
import { openPostgresDatabase } from './postgres-database.ts';

after(stopOwnServer);

describe('an exchange that is not committed yet', () => {
  let opened: Opened;
  let store: Store;
  let fixture: Fixture;
  let holder: Client;
  beforeEach(async () => {
    opened = await openPostgresDatabase();
    store = opened.store;
    fixture = await aFixture(store);
    holder = new Client({ connectionString: opened.url });
    await holder.connect();
  });
  afterEach(async () => {
    await holder.end();
    await opened.discard();
  });

  const aSubject = async () => {
    const given = tokens();
    await store.addTokenFamily(fixture.app, fixture.grant, given);
    return given.access.hash;
  };
  const exchanged = (clientId = 'mobile'): ExchangedToken => ({
    ...{ hash: credentialKey(NOW + 600), expiresAt: NOW + 600, issuedAt: NOW, clientId },
    ...{ audience: 'https://stock.shop.example', scope: ['stock:read'], exchange: { depth: 1 } },
  });
  const find = (hash: Uint8Array) => store.findAccessToken(fixture.app, hash, NOW);
  const waiting = async () => {
    const { rows } = await holder.query(
      `SELECT count(*)::int AS count FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    return rows[0].count as number;
  };

  /** Until so many wait for a lock, or this is done. */
  const untilWaiting = async (count: number, act: Promise<unknown>) => {
    let isDone = false;
    const done = () => {
      isDone = true;
    };
    void act.then(done, done);
    await until(`a wait of ${count}`, async () => isDone || (await waiting()) === count);
  };

  /** The exchange has written its token, and waits for its event: another transaction has the id of it until `release`. */
  const held = async (subject: Uint8Array, token: ExchangedToken) => {
    const event: Event = {
      ...{ id: unique('evt'), time: NOW, type: 'token.exchanged', outcome: 'success' },
      ...{ actor: { kind: 'client', id: token.clientId }, subject: fixture.user.sub, app: fixture.app },
    };
    await holder.query('BEGIN');
    await holder.query(
      "INSERT INTO events (id, time, type, outcome, actor_kind) VALUES ($1, 0, 'token.exchanged', 'success', 'client')",
      [event.id],
    );
    const exchanging = store.addExchangedToken(fixture.app, subject, token, event);
    await untilWaiting(1, exchanging);
    return { exchanging, release: () => holder.query('ROLLBACK') };
  };
  const finish = async (act: Promise<unknown>, exchanging: Promise<unknown>, release: () => Promise<unknown>) => {
    await untilWaiting(2, act);
    await release();
    await Promise.all([act, exchanging]);
  };

  for (const isRecorded of [false, true])
    it(`does not outlive a revocation of its subject token${isRecorded ? ' with an event' : ''}`, async () => {
      const other = await opened.another();
      const [subject, token] = [await aSubject(), exchanged()];
      const { exchanging, release } = await held(subject, token);
      const event: Event = {
        ...{ id: unique('evt'), time: NOW, type: 'token.revoked', outcome: 'success' },
        ...{ actor: { kind: 'client', id: 'web' }, app: fixture.app },
      };
      await finish(
        other.revokeAccessToken(fixture.app, subject, 'web', isRecorded ? event : undefined),
        exchanging,
        release,
      );
      assert.equal(await find(subject), undefined);
      assert.equal(await find(token.hash), undefined);
    });

  it('of a token that was exchanged itself does not outlive a revocation of the first one', async () => {
    const other = await opened.another();
    const [subject, first, second] = [await aSubject(), exchanged(), exchanged()];
    await store.addExchangedToken(fixture.app, subject, first);
    const { exchanging, release } = await held(first.hash, second);
    await finish(other.revokeAccessToken(fixture.app, subject, 'web'), exchanging, release);
    for (const { hash } of [first, second]) assert.equal(await find(hash), undefined);
  });

  it('does not outlive the client that its subject token was exchanged by', async () => {
    const other = await opened.another();
    const [subject, first, second] = [await aSubject(), exchanged('mobile'), exchanged('web')];
    await store.addExchangedToken(fixture.app, subject, first);
    const { exchanging, release } = await held(first.hash, second);
    await finish(other.deleteClient(fixture.app, 'mobile', NOW), exchanging, release);
    for (const { hash } of [first, second]) assert.equal(await find(hash), undefined);
    assert(await find(subject));
  });

  it('that comes while the subject token is being revoked gets nothing, and nobody waits for another', async () => {
    const [subject, token] = [await aSubject(), exchanged()];
    await holder.query('BEGIN');
    await holder.query('DELETE FROM access_tokens WHERE app = $1 AND token_hash = $2', [fixture.app, subject]);
    const exchanging = store.addExchangedToken(fixture.app, subject, token);
    await untilWaiting(1, exchanging);
    await holder.query('COMMIT');
    assert.equal(await exchanging, 'subjectGone');
    assert.equal(await find(token.hash), undefined);
  });
});
