import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { oneAtATime } from '../../../src/platform/outbound/names.ts';
import type { NameLookup } from '../../../src/platform/outbound/outbound.ts';
import { type OutboundRequest, type Outcome, postForm, sendRequest } from '../../../src/platform/outbound/request.ts';
import { until } from '../../build/until.ts';
import { LOOPBACK_TOO, PUBLIC_ONLY } from './outbounds.ts';

const PIECE = 'x'.repeat(1000);

/** Paths of a peer, good and bad. */
const peer: Record<string, (incoming: IncomingMessage, outgoing: ServerResponse) => void> = {
  '/echo': async (incoming, outgoing) => {
    const body = Buffer.concat(await incoming.toArray()).toString();
    const { method, headers } = incoming;
    outgoing.writeHead(201, { 'content-type': 'application/json', etag: '"1"' });
    outgoing.end(JSON.stringify({ method, headers, body }));
  },
  '/redirect': (_incoming, outgoing) => outgoing.writeHead(302, { location: '/echo' }).end('elsewhere'),
  '/exactly': (_incoming, outgoing) => outgoing.end(PIECE),
  '/one-more': (_incoming, outgoing) => outgoing.end(`${PIECE}x`),
  '/one-more-in-chunks': (_incoming, outgoing) => {
    outgoing.write(PIECE);
    outgoing.end('x');
  },
  '/endless': (_incoming, outgoing) => {
    const more = () => {
      while (outgoing.write(PIECE));
    };
    outgoing.on('drain', more);
    more();
  },
  '/slow': (_incoming, outgoing) => {
    const drip = setInterval(() => outgoing.write('x'), 5);
    outgoing.on('close', () => clearInterval(drip));
  },
  '/silent': () => {},
  '/large-head': (_incoming, outgoing) => outgoing.writeHead(200, { 'x-large': 'x'.repeat(20_000) }).end(),
  '/cut-short': (incoming, outgoing) => {
    outgoing.writeHead(200, { 'content-length': '1000' });
    outgoing.write('x', () => incoming.socket.destroy());
  },
  '/upgrade': incoming => {
    incoming.socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: chat\r\n\r\n');
  },
};

let server: Server;
let base: string;
const open = new Set<Socket>();
before(async () => {
  server = createServer((incoming, outgoing) => peer[incoming.url ?? '']?.(incoming, outgoing));
  server.on('connection', socket => {
    open.add(socket);
    socket.on('error', () => {}).on('close', () => open.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(async () => {
  server.closeAllConnections();
  await new Promise(resolve => server.close(resolve));
});

const ask = (path: string, over: Partial<OutboundRequest> = {}) =>
  sendRequest({ method: 'GET', url: base + path, maxBytes: 1000, ...over }, LOOPBACK_TOO);

async function assertFailed(outcome: Promise<Outcome>, reason: RegExp): Promise<void> {
  const { kind, ...rest } = await outcome;
  assert.equal(kind, 'failed');
  assert.match((rest as { reason: string }).reason, reason);
}

describe('a request that leaves the server', () => {
  it('has method, headers and body, and brings back status, headers and body', async () => {
    const headers = { 'content-type': 'application/json', authorization: 'Bearer abc' };
    const outcome = await ask('/echo', { method: 'PUT', headers, body: '{"a":"阿"}' });
    assert(outcome.kind === 'answered');
    assert.equal(outcome.status, 201);
    assert.equal(outcome.headers.etag, '"1"');
    const seen = JSON.parse(outcome.body.toString());
    assert.equal(seen.method, 'PUT');
    assert.equal(seen.body, '{"a":"阿"}');
    assert.equal(seen.headers.authorization, 'Bearer abc');
    assert.equal(seen.headers['content-length'], '11');
  });

  it('takes a connection of its own, which ends with it', async () => {
    await ask('/echo');
    await until('it is closed', () => open.size === 0);
  });

  it('does not follow a redirect: it is the answer', async () => {
    const outcome = await ask('/redirect');
    assert(outcome.kind === 'answered');
    assert.equal(outcome.status, 302);
    assert.equal(outcome.headers.location, '/echo');
    assert.equal(outcome.body.toString(), 'elsewhere');
  });
});

describe('an answer is bounded in bytes and time', () => {
  it('a body of exactly the limit is taken', async () => {
    const outcome = await ask('/exactly');
    assert(outcome.kind === 'answered');
    assert.equal(outcome.body.toString(), PIECE);
  });
  for (const path of ['/one-more', '/one-more-in-chunks', '/endless']) {
    it(`${path}: a longer one is not`, () => assertFailed(ask(path), /longer than 1000 bytes/));
  }
  it('a body that comes byte by byte ends with the time, not with the limit', () =>
    assertFailed(ask('/slow', { maxBytes: 1_000_000, timeoutMs: 100 }), /within 100 ms/));
  it('no answer at all', () => assertFailed(ask('/silent', { timeoutMs: 50 }), /within 50 ms/));
  it('a head of more than 16 KiB', () => assertFailed(ask('/large-head'), /Header overflow/i));
  it('a body that is cut short', () => assertFailed(ask('/cut-short'), /aborted|closed|reset/i));
  it('another protocol', () => assertFailed(ask('/upgrade', { timeoutMs: 2000 }), /closed|hang up/i));
  it('leaves no connection open', () => until('all are closed', () => open.size === 0));
});

describe('a form is delivered once its status is known, whatever the body', () => {
  for (const path of ['/endless', '/slow']) {
    it(path, async () => {
      const outcome = await postForm(base + path, 'a=b', LOOPBACK_TOO);
      assert(outcome.kind === 'answered');
      assert.equal(outcome.status, 200);
      await until('the connection is closed', () => open.size === 0);
    });
  }
});

describe('names that strangers have chosen, whose name servers do not answer', () => {
  const LOCAL = [{ address: '127.0.0.1', family: 4 }];
  const looked: { readonly name: string; readonly answer: () => void }[] = [];
  const resolve: NameLookup = (name, _options, done) => void looked.push({ name, answer: () => done(null, LOCAL) });
  let time = 0;
  const lookup = oneAtATime(resolve, () => time);
  const askAt = (name: string, timeoutMs = 60_000) => {
    const url = `http://${name}:${new URL(base).port}/exactly`;
    return sendRequest({ method: 'GET', url, maxBytes: 1000, timeoutMs }, { ...LOOPBACK_TOO, lookup });
  };
  const names = () => looked.map(({ name }) => name);

  it('hold one thread: the lookups of all others wait until it is back, and are not begun for requests that are over', async () => {
    const late = Array.from({ length: 30 }, (_, n) => askAt(`a${n}.tarpit.example`, 50));
    for (const outcome of late) await assertFailed(outcome, /within 50 ms/);
    assert.deepEqual(names(), ['a0.tarpit.example']);
    const patient = askAt('shop.example');
    looked[0]?.answer();
    await until('the next is looked up', () => looked.length === 2);
    assert.deepEqual(names(), ['a0.tarpit.example', 'shop.example']);
    looked[1]?.answer();
    assert.equal((await patient).kind, 'answered');
  });

  it('after a second further ones fail at once and say why, and those of the operator do not', async () => {
    const slow = askAt('b.tarpit.example');
    time += 1001;
    await assertFailed(askAt('shop.example'), /lookup of another name takes too long/);
    const own = { method: 'GET', url: `http://localhost:${new URL(base).port}/exactly`, maxBytes: 1000 };
    assert.equal((await sendRequest(own, LOOPBACK_TOO)).kind, 'answered');
    looked.at(-1)?.answer();
    assert.equal((await slow).kind, 'answered');
    const next = askAt('shop.example');
    await until('it is looked up', () => names().at(-1) === 'shop.example');
    looked.at(-1)?.answer();
    assert.equal((await next).kind, 'answered');
  });

  it('at most 100 wait', async () => {
    const asked = Array.from({ length: 102 }, (_, n) => askAt(`c${n}.example`));
    await assertFailed(asked.at(-1) ?? assert.fail(), /lookup of another name/);
    for (let n = 0; n < 101; n++) {
      await until('it is looked up', () => names().at(-1) === `c${n}.example`);
      looked.at(-1)?.answer();
    }
    const kinds = (await Promise.all(asked)).map(({ kind }) => kind);
    assert.deepEqual(kinds, [...Array(101).fill('answered'), 'failed']);
  });
});

describe('what cannot be sent is an outcome, not a fault', () => {
  const cases: [name: string, over: Partial<OutboundRequest>, reason: RegExp][] = [
    ['no address', { url: 'nowhere' }, /no http or https URL/],
    ['another scheme', { url: 'file:///etc/passwd' }, /no http or https URL/],
    ['a header with a line break', { headers: { 'x-a': 'b\r\nx-c: d' } }, /Invalid character/],
    ['a method with a space', { method: 'GET / HTTP/1.1\r\nx:' }, /Method must be a valid HTTP token/],
    ['a name that resolves to nothing', { url: 'http://nowhere.invalid/' }, /ENOTFOUND|EAI_AGAIN/],
  ];
  for (const [name, over, reason] of cases) it(name, () => assertFailed(ask('/echo', over), reason));

  it('a port where nothing listens', async () => {
    const probe = createTcpServer().listen(0, '127.0.0.1');
    await once(probe, 'listening');
    const { port } = probe.address() as AddressInfo;
    await new Promise(resolve => probe.close(resolve));
    await assertFailed(ask('', { url: `http://127.0.0.1:${port}/` }), /ECONNREFUSED/);
  });

  it('plain text where TLS is expected', () =>
    assertFailed(ask('', { url: `${base.replace('http:', 'https:')}/echo` }), /SSL|TLS|EPROTO/i));

  it('SSRF: neither an address nor a name leads to a network that is not allowed', async () => {
    const { port } = new URL(base);
    for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]']) {
      const request = { method: 'GET', url: `http://${host}:${port}/echo`, maxBytes: 1000 };
      await assertFailed(sendRequest(request, PUBLIC_ONLY), /not public/);
    }
    assert.equal(open.size, 0);
  });
});
