import assert from 'node:assert/strict';
import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { before, beforeEach, describe, it } from 'node:test';
import type { Event } from '../../../src/audit/events/rules.ts';
import { createEventSender } from '../../../src/notify/event-streams/job.ts';
import type { RunningJob } from '../../../src/platform/jobs/job.ts';
import { makeCertificate } from '../../build/certificate.ts';
import { fixedClock } from '../../build/clock.ts';
import { addSealedEvents } from '../../build/sealed-events.ts';
import { suitePart, testPart } from '../../build/suite-part.ts';
import { openSyslogReceiver } from '../../build/syslog-receiver.ts';
import { startTestServer, type TestServer } from '../../build/test-server.ts';
import { until } from '../../build/until.ts';
import { temporaryFolder } from '../../store/temporary-folder.ts';

const START = 1_794_790_000;
let number = 0;

function event(over: Partial<Event> = {}): Event {
  number++;
  return {
    id: `evt_${String(number).padStart(8, '0')}`,
    time: START,
    type: 'user.login.succeeded',
    outcome: 'success',
    actor: { kind: 'user', id: 'sub-1' },
    subject: 'sub-1',
    app: 'shop',
    clientId: 'web',
    address: '192.0.2.7',
    userAgent: 'Browser/1 (Zürich)',
    requestId: `req-${number}`,
    details: { amr: ['pwd'] },
    ...over,
  };
}

const events = (count: number) => Array.from({ length: count }, () => event());

describe('events to other systems (GATEHOUSE_EVENT_STREAMS)', () => {
  let testServer: TestServer;
  let lastSeq = 0;
  const senders: RunningJob[] = [];
  const folder = suitePart(temporaryFolder);
  before(() => makeCertificate(folder.file('.')));
  const receiver = testPart(() => openSyslogReceiver(folder.file('.')));
  const clock = testPart(() => fixedClock(START));
  beforeEach(() => {
    lastSeq = 0;
  });
  testPart(
    () => senders,
    async () => {
      for (const sender of senders.splice(0)) await sender.stop?.();
      await testServer.close();
    },
  );
  const path = (name: string) => folder.file(name);
  const overTls = (options = '') => `syslog+tls://127.0.0.1:${receiver.port}?ca=${path('certificate.pem')}${options}`;
  const start = async (streams: string) => {
    testServer = await startTestServer({ env: { GATEHOUSE_EVENT_STREAMS: streams }, clock });
  };
  /** A sender as each machine has one. */
  const aSender = () => {
    const sender = createEventSender(testServer.services, testServer.services.config.eventStreams, () => false);
    senders.push(sender);
    return sender;
  };
  const seal = async (added: readonly Event[]) => {
    await addSealedEvents(testServer.services.config.database.url, added, lastSeq + 1);
    lastSeq += added.length;
    return added.map(({ id }) => id);
  };
  const state = async () => {
    const [first] = await testServer.services.store.listEventStreams();
    return first ?? assert.fail('there is no stream');
  };
  const sent = () => receiver.messages.map(({ text }) => JSON.parse(text).id as string);
  const allSent = () => until('everything is sent', async () => (await state()).waiting === 0);

  it('go to a syslog receiver over TLS, in their order, each as a message of RFC 5424', async () => {
    await start(overTls());
    const sender = aSender();
    await sender.run();
    const ids = await seal([event(), event({ type: 'user.login.failed', outcome: 'failure' }), ...events(500)]);
    await sender.run();
    await allSent();
    assert.deepEqual(sent(), ids);
    const [first, second] = receiver.messages;
    assert.equal(first?.priority, 86);
    assert.equal(second?.priority, 84);
    assert.equal(first?.time, new Date(START * 1000).toISOString().replace('.000', ''));
    assert.equal(first?.app, 'gatehouse');
    assert.equal(second?.id, 'user.login.failed');
    assert.deepEqual(JSON.parse(first?.text ?? ''), {
      ...{ seq: 1, id: ids[0], time: '2026-11-16T00:46:40.000Z', type: 'user.login.succeeded', outcome: 'success' },
      ...{ actor: { kind: 'user', id: 'sub-1' }, subject: 'sub-1', application: 'shop', client: 'web' },
      ...{
        address: '192.0.2.7',
        user_agent: 'Browser/1 (Zürich)',
        request_id: JSON.parse(first?.text ?? '').request_id,
      },
      details: { amr: ['pwd'] },
    });
    assert.equal(receiver.connections(), 3, 'a connection for each batch');
  });

  it('go to a relay on this machine without TLS, and are tried again while it is away', async () => {
    const relay = await openSyslogReceiver(folder.file('.'), { plain: true });
    await start(`syslog+tcp://127.0.0.1:${relay.port}`);
    const sender = aSender();
    await sender.run();
    const ids = await seal(events(3));
    await sender.run();
    await allSent();
    await relay.down();
    ids.push(...(await seal(events(2))));
    await sender.run();
    await until('the attempt has failed', async () => (await state()).failures === 1);
    await relay.up();
    clock.advance(2);
    await sender.run();
    await allSent();
    const arrived = relay.messages.map(({ text }) => JSON.parse(text).id);
    assert.deepEqual(arrived, ids);
    await relay.down();
  });

  it('begin with the first event after the target was set', async () => {
    await start(overTls());
    await seal(events(3));
    const sender = aSender();
    await sender.run();
    const ids = await seal(events(1));
    await sender.run();
    await allSent();
    assert.deepEqual(sent(), ids);
  });

  it('are not lost while the receiver is away, and it is tried less and less often', async () => {
    await start(overTls());
    const sender = aSender();
    await sender.run();
    await receiver.down();
    const ids = await seal(events(5));
    for (const [failures, delay] of [2, 4, 8].entries()) {
      await sender.run();
      await until('the attempt has failed', async () => (await state()).failures === failures + 1);
      const { failingSince, dueAt, waiting, reason } = await state();
      assert.equal(dueAt, clock.now() + delay);
      assert.equal(waiting, 5);
      assert.match(reason ?? '', /ECONNREFUSED/);
      assert.equal(failingSince, START);
      clock.advance(delay);
    }
    await receiver.up();
    await sender.run();
    await allSent();
    assert.deepEqual(sent(), ids);
    const { failures, failingSince } = await state();
    assert.deepEqual([failures, failingSince], [0, undefined]);
    assert.equal(testServer.logged().match(/"event_stream.failed"/g)?.length, 1);
    assert.match(testServer.logged(), /"event_stream.recovered"/);
  });

  it('are sent again where the connection was cut in the middle of them', async () => {
    await start(overTls());
    const sender = aSender();
    await sender.run();
    const ids = await seal(events(100));
    receiver.cut(5000);
    await sender.run();
    await until('the attempt has failed', async () => (await state()).failures === 1);
    clock.advance(2);
    await sender.run();
    await allSent();
    assert.deepEqual(sent().slice(-100), ids, 'the whole batch');
  });

  it('are sent by one of many machines at a time; another goes on when it has died', async () => {
    await start(overTls());
    const [one, other] = [aSender(), aSender()];
    await one.run();
    await other.run();
    const { store } = testServer.services;
    const ids = await seal(events(450));
    await Promise.all([one.run(), other.run()]);
    await allSent();
    assert.deepEqual(sent(), ids, 'each once');
    // A machine that took some and died.
    const { target } = await state();
    const more = await seal(events(2));
    await one.stop?.();
    await other.stop?.();
    const lease = { target, holder: 'dead', leaseUntil: clock.now() + 60 };
    assert.equal((await store.takeEvents(lease, clock.now(), 10))?.length, 2);
    const third = aSender();
    await third.run();
    await third.stop?.();
    assert.equal((await state()).waiting, 2, 'the lease holds');
    clock.advance(60);
    const fourth = aSender();
    await fourth.run();
    await allSent();
    assert.deepEqual(sent().slice(-2), more);
    assert.equal(await store.finishEvents(lease, lastSeq), false, 'the dead one does not count any more');
  });

  it('do not go to a receiver whose certificate is not trusted', async () => {
    await start(`syslog+tls://127.0.0.1:${receiver.port}`);
    const sender = aSender();
    await sender.run();
    await seal(events(1));
    await sender.run();
    await until('the attempt has failed', async () => (await state()).failures === 1);
    assert.match((await state()).reason ?? '', /self-signed certificate/);
    assert.deepEqual(receiver.messages, []);
  });

  it('go to a file, which may be rotated by renaming it, and whose last line a crash may have cut off', async () => {
    await start(`file:${path('events.jsonl')}`);
    writeFileSync(path('events.jsonl'), '{"cut off');
    const sender = aSender();
    await sender.run();
    const first = await seal(events(2));
    await sender.run();
    await allSent();
    renameSync(path('events.jsonl'), path('events.jsonl.1'));
    const second = await seal(events(1));
    await sender.run();
    await allSent();
    const lines = (name: string) => readFileSync(path(name), 'utf8').split('\n');
    const [cutOff, ...rotated] = lines('events.jsonl.1');
    assert.equal(cutOff, '{"cut off');
    assert.equal(rotated.pop(), '');
    const moved = rotated.map(line => JSON.parse(line).id);
    assert.deepEqual(moved, first);
    const listed = lines('events.jsonl').map(line => line && JSON.parse(line).id);
    assert.deepEqual(listed, [...second, '']);
    assert.equal(statSync(path('events.jsonl')).mode & 0o777, 0o600);
  });

  it('are never longer than a receiver takes', async () => {
    await start(overTls('&format=ocsf'));
    const sender = aSender();
    await sender.run();
    await seal([event({ details: { long: 'ä'.repeat(5000) } })]);
    await sender.run();
    await allSent();
    const [message] = receiver.messages;
    assert((message?.text.length ?? 0) < 8192);
    assert.deepEqual(JSON.parse(message?.text ?? '').unmapped.details, { truncated: true });
  });

  it('do not hold up another target', async () => {
    await start(`${overTls()} file:${path('beside.jsonl')}`);
    const sender = aSender();
    await sender.run();
    await receiver.down();
    const ids = await seal(events(3));
    await sender.run();
    const ofFile = async () =>
      (await testServer.services.store.listEventStreams()).find(({ target }) => target.startsWith('file:'));
    await until('the file has them', async () => (await ofFile())?.waiting === 0);
    const lines = readFileSync(path('beside.jsonl'), 'utf8').trim().split('\n');
    const shown = lines.map(line => JSON.parse(line).id);
    assert.deepEqual(shown, ids);
    await receiver.up();
  });

  it('have a metric that says how many wait', async () => {
    await start(overTls());
    const sender = aSender();
    await sender.run();
    await receiver.down();
    await seal(events(7));
    await sender.run();
    const family = testServer.services.metrics
      .families()
      .find(({ name }) => name === 'gatehouse_event_stream_events_waiting');
    assert.deepEqual(family?.samples, [
      [`gatehouse_event_stream_events_waiting{target="syslog+tls://127.0.0.1:${receiver.port}"}`, 7],
    ]);
    await receiver.up();
  });
});
