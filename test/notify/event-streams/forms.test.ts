import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Event } from '../../../src/audit/events/rules.ts';
import { type EventType, eventTypes } from '../../../src/events.ts';
import { eventLine } from '../../../src/notify/event-streams/line.rules.ts';
import { readEventStreams } from '../../../src/platform/config/event-stream-settings.ts';

const BARE: Event = {
  id: 'evt_1',
  time: 1_794_790_000,
  type: 'user.updated',
  outcome: 'success',
  actor: { kind: 'system' },
};
const FULL: Partial<Event> = {
  actor: { kind: 'operator', id: 'op-1' },
  ...{ subject: 'sub-1', app: 'shop', clientId: 'web', address: '192.0.2.7', userAgent: 'B/1', requestId: 'r-1' },
  details: { fields: ['name'] },
};

/**
 * Of schema.ocsf.io, version 1.3: the classes in use with their activities, and what each requires beside the base event. No package registry
 * has the schema itself.
 */
const CLASSES: Readonly<
  Record<number, { readonly category: number; readonly activities: number; readonly requires: readonly string[] }>
> = {
  0: { category: 0, activities: 0, requires: [] },
  3001: { category: 3, activities: 11, requires: ['user'] },
  3002: { category: 3, activities: 5, requires: ['user', 'service'] },
  3004: { category: 3, activities: 4, requires: ['entity'] },
};
const OTHER = 99;

// biome-ignore lint/suspicious/noExplicitAny: what the schema says
function assertOcsf(line: string): any {
  const event = JSON.parse(line);
  const { class_uid, activity_id, category_uid, type_uid, severity_id, status_id, metadata, time } = event;
  const of = CLASSES[class_uid] ?? assert.fail(`the class ${class_uid} is not in use`);
  assert.equal(category_uid, of.category);
  assert(activity_id === OTHER ? event.activity_name : activity_id >= 1 && activity_id <= of.activities, line);
  assert.equal(type_uid, class_uid * 100 + activity_id);
  assert([1, 2, 3, 4].includes(severity_id));
  assert([1, 2].includes(status_id));
  assert(Number.isSafeInteger(time) && time > 1e12, 'milliseconds');
  assert.equal(metadata.version, '1.3.0');
  assert(metadata.product.vendor_name);
  for (const name of of.requires) assert(event[name], `${name} of ${line}`);
  if (event.user) assert(event.user.uid ?? event.user.name);
  if (event.entity) assert(event.entity.uid && event.entity.type);
  if (of.category === 3) assert(event.actor.user ?? event.actor.app_name ?? event.actor.app_uid);
  return event;
}

describe('events in the form of OCSF', () => {
  for (const type of eventTypes(new Map()) as readonly EventType[]) {
    it(`${type} has what its class requires, however little the event has`, () => {
      for (const outcome of ['success', 'failure', 'denied'] as const) {
        for (const more of [{}, FULL]) {
          const line = eventLine('ocsf', 7, { ...BARE, type: type as EventType, outcome, ...more }, '1.2.3');
          const event = assertOcsf(line);
          assert.equal(event.metadata.event_code, type);
          assert.equal(event.metadata.uid, 'evt_1');
          assert.equal(event.metadata.sequence, 7);
        }
      }
    });
  }

  it('a login is an authentication with its user, application and address', () => {
    const login = { ...BARE, ...FULL, type: 'user.login.failed', outcome: 'failure', actor: { kind: 'user' } } as const;
    const event = assertOcsf(eventLine('ocsf', 7, login, '1.2.3'));
    assert.equal(event.type_uid, 300201);
    assert.equal(event.status_id, 2);
    assert.deepEqual(event.user, { uid: 'sub-1', type_id: 1 });
    assert.deepEqual(event.service, { name: 'shop' });
    assert.deepEqual(event.src_endpoint, { ip: '192.0.2.7' });
    assert.deepEqual(event.http_request, { user_agent: 'B/1', uid: 'r-1' });
  });
});

describe('GATEHOUSE_EVENT_STREAMS', () => {
  const NO_FILES = { ca: undefined, cert: undefined, key: undefined };
  const syslog = (host: string, port: number, tls: object | undefined) => ({ kind: 'syslog', host, port, tls });
  for (const [text, destination] of [
    ['stdout:', { kind: 'stdout' }],
    ['file:/var/log/events.jsonl', { kind: 'file', path: '/var/log/events.jsonl' }],
    ['file:///var/log/events.jsonl', { kind: 'file', path: '/var/log/events.jsonl' }],
    ['syslog+tls://logs.example', syslog('logs.example', 6514, NO_FILES)],
    ['syslog+tls://[2001:db8::1]:7000', syslog('2001:db8::1', 7000, NO_FILES)],
    [
      'syslog+tls://logs.example?ca=/ca.pem&cert=/c.pem&key=/k.pem',
      syslog('logs.example', 6514, { ca: '/ca.pem', cert: '/c.pem', key: '/k.pem' }),
    ],
    ['syslog+tcp://127.0.0.1', syslog('127.0.0.1', 601, undefined)],
    ['syslog+tcp://[::1]:1601', syslog('::1', 1601, undefined)],
  ] as const) {
    it(`reads ${text}`, () => assert.deepEqual(readEventStreams(text)?.[0]?.destination, destination));
  }

  it('has several, each with its format; options are no part of the name', () => {
    const read = readEventStreams('stdout:?format=ocsf  syslog+tls://logs.example?ca=/ca.pem');
    assert.deepEqual(
      read?.map(({ name, format }) => [name, format]),
      [
        ['stdout:', 'ocsf'],
        ['syslog+tls://logs.example', 'json'],
      ],
    );
    assert.deepEqual(readEventStreams(''), []);
  });

  for (const text of [
    'stdout',
    'file:relative.jsonl',
    'file:///',
    'syslog://logs.example',
    'syslog+udp://127.0.0.1',
    'syslog+tcp://logs.example',
    'syslog+tls://user:password@logs.example',
    'syslog+tls://logs.example:70000',
    'syslog+tls://logs.example?cert=/c.pem',
    'stdout:?format=cef',
    'stdout:?ca=/ca.pem',
    'stdout: stdout:?format=ocsf',
    Array.from({ length: 11 }, (_, index) => `file:/var/log/${index}`).join(' '),
  ]) {
    it(`refuses ${text.slice(0, 60)}`, () => assert.equal(readEventStreams(text), undefined));
  }
});
