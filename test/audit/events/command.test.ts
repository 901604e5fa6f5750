import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { createEventJobs } from '../../../src/audit/events/job.ts';
import { aTokenSet, basic, introspect } from '../../build/client.ts';
import { gatehouse } from '../../build/command.ts';
import { type DirectSql, directSql } from '../../build/direct-sql.ts';
import { signedIn } from '../../build/people.ts';
import { suiteServer } from '../../build/test-server.ts';

describe('gatehouse events', () => {
  let database: DirectSql;
  const server = suiteServer();
  before(async () => {
    database = directSql(server);
    await signedIn(server);
    await aTokenSet(server);
    await introspect(server, { token: 'x' }, { auth: basic('web', 'a wrong secret') });
    await server.services.recorder.drain();
    await createEventJobs(server.services, () => false).seal();
  });

  const run = (...args: string[]) => gatehouse(server, 'events', ...args);

  describe('list', () => {
    it('prints one line for each event, newest first', async () => {
      const { code, out } = await run('list');
      assert.equal(code, 0);
      const types = out
        .trimEnd()
        .split('\n')
        .map(line => line.split(' ')[1]);
      assert.deepEqual(types, ['client.authentication.failed', 'user.login.succeeded', 'user.login.succeeded']);
      assert.match(
        out,
        /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ client\.authentication\.failed failure actor=client:web application=shop/,
      );
    });

    it('--json prints one document in the form of the API, and nothing else', async () => {
      const { code, out, err } = await run('list', '--limit', '2', '--json');
      assert.deepEqual([code, err], [0, '']);
      const { items, next } = JSON.parse(out);
      assert.equal(items.length, 2);
      const [failed] = items;
      assert.deepEqual(Object.keys(failed), [
        ...['id', 'time', 'type', 'outcome', 'actor', 'application', 'client', 'address', 'user_agent', 'request_id'],
      ]);
      assert.deepEqual(failed.actor, { kind: 'client', id: 'web' });
      const rest = JSON.parse((await run('list', '--cursor', next, '--json')).out);
      assert.deepEqual([rest.items.length, rest.next], [1, null]);
    });

    it('filters by user, whatever name it is known by, and by the other filters', async () => {
      const count = async (...args: string[]) => JSON.parse((await run('list', '--json', ...args)).out).items.length;
      const { sub = '' } = (await server.services.store.findAccount('alice')) ?? {};
      assert.equal(await count('--user', 'alice@example.com'), 2);
      assert.equal(await count('--user', sub, '--type', 'user.login.succeeded,user.login.failed'), 2);
      assert.equal(await count('--client', 'web', '--application', 'shop', '--from', '2020-01-01T00:00:00Z'), 3);
      assert.equal(await count('--to', '2020-01-01T00:00:00Z'), 0);
      const [newest] = JSON.parse((await run('list', '--json')).out).items;
      assert.equal(await count('--request-id', newest.request_id), 1);
    });

    for (const args of [
      ['--type', 'user.jumped'],
      ['--limit', '0'],
      ['--from', 'yesterday'],
    ]) {
      it(`names the faulty filter, and exits 65: ${args.join(' ')}`, async () => {
        const { code, out, err } = await run('list', ...args);
        assert.deepEqual([code, out], [65, '']);
        assert(err.startsWith(`${args[0]}: `), err);
      });
    }
  });

  it('resume --lost-secret goes on after a lost secret, and refuses a head that was tampered with', async () => {
    const { code, out } = await run('resume', '--lost-secret');
    assert.deepEqual([code, out], [0, 'The chain goes on.\n']);
    await database.query('UPDATE event_chain SET last_seq = last_seq + 1');
    const refused = await run('resume', '--lost-secret');
    assert.deepEqual([refused.code, refused.err], [65, 'the head of the chain is not authentic\n']);
    await database.query('UPDATE event_chain SET last_seq = last_seq - 1');
  });

  describe('verify', () => {
    it('exits 0 and prints the end of the chain, which --expect takes the next time', async () => {
      const { code, out } = await run('verify');
      assert.equal(code, 0, out);
      assert.match(out, /^3 sealed events, \S+Z to \S+Z: the chain is complete$/m);
      const [, end = ''] = /^end of the chain: (\S+)$/m.exec(out) ?? [];
      assert.equal((await run('verify', '--expect', end)).code, 0);
      const later = await run('verify', '--expect', end.replace(/^3:/, '9:'));
      assert.equal(later.code, 65);
      assert.match(later.out, /^restored: event number 3: the chain ends at number 3, and went as far as 9 before/m);
    });

    it('exits 65 with the place of what was altered, as text and as JSON', async () => {
      const [before] = await database.query('SELECT id, address FROM events WHERE seq = 2');
      await database.query(`UPDATE events SET address = '192.0.2.66' WHERE seq = 2`);
      const { code, out } = await run('verify');
      assert.equal(code, 65);
      assert.match(out, new RegExp(`^altered: event number 2, ${before?.id}: the row is not what was sealed$`, 'm'));
      assert.match(out, /the chain is BROKEN/);
      const json = await run('verify', '--json');
      assert.equal(json.code, 65);
      const { ok, events, findings } = JSON.parse(json.out);
      assert.deepEqual([ok, events, findings.length, findings[0].seq], [false, 3, 1, 2]);
      await database.query(`UPDATE events SET address = '${before?.address}' WHERE seq = 2`);
      assert.equal((await run('verify')).code, 0);
    });

    for (const args of [
      [],
      ['show'],
      ['verify', 'x'],
      ['verify', '--user', 'a'],
      ['verify', '--expect', '3'],
      ['resume'],
      ['verify', '--lost-secret'],
      ['list', '--all'],
    ]) {
      it(`shows how it is used, and exits 64: ${args.join(' ')}`, async () => {
        const { code, err } = await run(...args);
        assert.equal(code, 64);
        assert.match(err, /^Usage: gatehouse events list/);
      });
    }
  });
});
