import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { MAX_PIECES, MAX_WAITING_BYTES } from '../../../src/platform/http/read-body.ts';
import { aTokenSet, get, introspect, WEB } from '../../build/client.ts';
import { suiteServer } from '../../build/test-server.ts';
import { until } from '../../build/until.ts';
import { head, RawCaller } from './raw-caller.ts';

/** More than are handled at the same time (platform/http/concurrency-limit.ts). */
const MANY = 300;
const PATH = '/api/v1/authorize/shop/oauth2/introspect';

let token: string;
const callers: RawCaller[] = [];
const server = suiteServer({}, async () => {
  ({ access_token: token } = await aTokenSet(server));
});
afterEach(() => {
  for (const caller of callers.splice(0)) caller.close();
});

const open = async (text: string) => {
  const caller = await RawCaller.open(server.base);
  caller.send(text);
  callers.push(caller);
  return caller;
};
/** Round trips behind what was sent before: the server has read it by then. */
const untilRead = async () => {
  for (let times = 0; times < 3; times++) assert.equal((await get(`${server.base}/healthz`)).status, 200);
};
/** Twice: the first finds out that there are too many, the second would be rejected. */
const assertServed = async () => {
  for (let time = 0; time < 2; time++) assert.equal((await introspect(server, { token })).json.active, true);
};

describe('requests whose body does not come', () => {
  const beginMany = async () => {
    for (let count = 0; count < MANY; count++) await open(`${head('POST', PATH, 100)}token=`);
    await untilRead();
  };

  it('take no place in the queue while they wait', async () => {
    await beginMany();
    await assertServed();
  });

  it('take no place in the queue after their callers have closed the connection', async () => {
    await beginMany();
    for (const caller of callers.splice(0)) caller.close();
    await untilRead();
    await assertServed();
  });
});

describe('large bodies that are never finished (issue 10, C.13)', () => {
  const PIECE = 60_000;
  const SENDERS = Math.ceil(MAX_WAITING_BYTES / PIECE) + 40;

  it('are kept up to a sum; then the largest of them are rejected, and not the next request', async () => {
    const begin = (length: number) => open(head('POST', PATH, 65_536) + 'a'.repeat(length));
    const small = await Promise.all(Array.from({ length: 20 }, () => begin(1000)));
    for (let count = 0; count < SENDERS; count += 20) await Promise.all(Array.from({ length: 20 }, () => begin(PIECE)));
    const rejected = () => callers.filter(caller => caller.statuses().includes('503'));
    await until('some are rejected', () => rejected().length > 0);

    // A body in two pieces is incomplete until the second one arrives, and room is made for it.
    const body = `token=${token}`;
    const patient = await open(head('POST', PATH, body.length, { authorization: WEB }) + body.slice(0, 10));
    await untilRead();
    patient.send(body.slice(10));
    await until('it is answered', () => patient.statuses().length === 1);
    assert.deepEqual(patient.statuses(), ['200']);
    await assertServed();

    assert(
      small.every(caller => caller.statuses().length === 0),
      'a small one was rejected',
    );
    await until('the rejected are closed', () => rejected().every(caller => caller.isClosed()));
    assert(rejected().every(caller => /temporarily_unavailable/.test(caller.received())));
    const kept = callers.length - rejected().length;
    assert(kept * PIECE < MAX_WAITING_BYTES + 30 * PIECE, `${kept} were kept`);
    await until('it is logged', () => /"event":"overload","rejected":\d+/.test(server.logged()));
  });

  it('are forgotten when their senders are gone', async () => {
    for (let count = 0; count < SENDERS; count += 20) {
      await Promise.all(Array.from({ length: 20 }, () => open(head('POST', PATH, 65_536) + 'a'.repeat(PIECE))));
      for (const caller of callers.splice(0)) caller.close();
    }
    await assertServed();
    const kept = await open(head('POST', PATH, 65_536) + 'a'.repeat(PIECE));
    await untilRead();
    assert.deepEqual([kept.statuses(), kept.isClosed()], [[], false]);
  });
});

describe('a body in chunks of one byte each (64 KB of them cost 120 ms without limits)', () => {
  const FORM = 'content-type: application/x-www-form-urlencoded\r\n';
  const chunked = (method: string, path: string, body: string) => {
    const chunks = Array.from(body, byte => `1\r\n${byte}\r\n`).join('');
    const credentials = `authorization: ${WEB}\r\n`;
    return `${method} ${path} HTTP/1.1\r\nhost: a\r\n${credentials}${FORM}transfer-encoding: chunked\r\n\r\n${chunks}`;
  };
  const END = '0\r\n\r\n';

  it('is read if it is short', async () => {
    const body = `token=${token}`;
    assert(body.length < MAX_PIECES);
    const caller = await open(chunked('POST', PATH, body) + END);
    await until('it is answered', () => caller.received().includes('"active":true'));
  });

  it('ends the connection after so many, and other callers are served', async () => {
    const caller = await open(chunked('POST', PATH, 'a'.repeat(64_000)));
    await until('the connection is closed', () => caller.isClosed());
    assert.deepEqual(caller.statuses(), []);
    await assertServed();
  });

  it('ends the connection also behind the refusal of a body that is too large', async () => {
    const large = `10001\r\n${'a'.repeat(0x10001)}\r\n`;
    const [head = '', chunks = ''] = chunked('POST', PATH, 'a'.repeat(64_000)).split('\r\n\r\n');
    const caller = await open(`${head}\r\n\r\n${large}${chunks}`);
    await until('the connection is closed', () => caller.isClosed());
    await assertServed();
  });

  it('of unknown length may be as long as its route takes: a file of 100 KB goes on to its caller’s rights', async () => {
    const piece = 'a'.repeat(50_000);
    const chunk = `${piece.length.toString(16)}\r\n${piece}\r\n`;
    const file = 'POST /api/v1/admin/apply HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n';
    const caller = await open(file + chunk.repeat(2) + END);
    await until('it is answered', () => caller.statuses().length === 1);
    assert.deepEqual(caller.statuses(), ['401']);
    const larger = await open(file + chunk.repeat(90) + END);
    await until('it is refused', () => larger.received().includes('(4 MiB)'));
    assert.deepEqual(larger.statuses(), ['413']);
  });

  it('is not read beside GET: the answer ends the connection, though the body has no end', async () => {
    const caller = await open(chunked('GET', '/healthz', 'a'.repeat(2000)));
    await until('the connection is closed', () => caller.isClosed());
    assert.deepEqual(caller.statuses(), ['200']);
    assert.match(caller.received(), /^connection: close/im);
  });

  it('GET without a body keeps the connection', async () => {
    const caller = await open('GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n');
    await until('it is answered', () => caller.statuses().length === 1);
    caller.send('GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n');
    await until('the next one too', () => caller.statuses().length === 2);
  });
});
