import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { type AddressInfo, BlockList, connect } from 'node:net';
import { afterEach, describe, it } from 'node:test';
import { ConnectionCount, closeUnreadConnections } from '../../../src/platform/http/connections.ts';
import { startTestServer, type TestServer } from '../../build/test-server.ts';
import { until } from '../../build/until.ts';
import { RawCaller } from './raw-caller.ts';

const LIMIT = 20;

describe('an address that opens every connection there is (issue 10, C.13)', () => {
  let testServer: TestServer;
  const callers: RawCaller[] = [];
  afterEach(async () => {
    for (const caller of callers.splice(0)) caller.close();
    await testServer.close();
  });

  const start = async (env: Readonly<Record<string, string>>) => {
    testServer = await startTestServer({ env });
  };
  const open = async (address?: string) => {
    const caller = await RawCaller.open(testServer.base, address);
    callers.push(caller);
    return caller;
  };
  const isServed = async (caller: RawCaller) => {
    const before = caller.statuses().length;
    caller.request('GET', '/healthz');
    await until('it is answered or closed', () => caller.isClosed() || caller.statuses().length > before);
    return caller.statuses().length > before;
  };

  it('gets GATEHOUSE_MAX_CONNECTIONS_PER_ADDRESS of them, and others are served', async () => {
    await start({ GATEHOUSE_MAX_CONNECTIONS_PER_ADDRESS: String(LIMIT) });
    const first = await Promise.all(Array.from({ length: LIMIT }, () => open()));
    for (const caller of first) assert(await isServed(caller));
    for (let count = 0; count < 3; count++) assert.equal(await isServed(await open()), false, 'one too many');
    for (let count = 0; count < 3; count++) assert(await isServed(await open('127.0.0.2')), 'another address');
    await until('it is logged', () => testServer.logged().includes('connections.limited'));
    assert.match(
      testServer.logged(),
      /"level":"warn","event":"connections\.limited","rejected":3,"limit":20,"address":"127\.0\.0\.1"/,
    );

    first[0]?.close();
    await until('one that ended makes room', async () => isServed(await open()));
  });

  for (const [name, env] of Object.entries({
    'a trusted proxy': { GATEHOUSE_MAX_CONNECTIONS_PER_ADDRESS: String(LIMIT), TRUSTED_PROXIES: '127.0.0.0/8' },
    'any address where it is 0': { GATEHOUSE_MAX_CONNECTIONS_PER_ADDRESS: '0' },
    'any address below the default of 1000': {},
  })) {
    it(`is no limit for ${name}`, async () => {
      await start(env);
      for (let count = 0; count < LIMIT + 5; count++) assert(await isServed(await open()));
    });
  }
});

describe('the connection of a caller that does not read its answer', () => {
  it('is closed, and that of one that has read it is not', async t => {
    const sizes: Readonly<Record<string, number>> = { '/large': 30_000_000, '/small': 1000 };
    const server = createServer(({ url = '' }, outgoing) => outgoing.end('a'.repeat(sizes[url] ?? 0)));
    closeUnreadConnections(server, 100);
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const sockets = Object.keys(sizes).map(path => {
      const socket = connect(port, '127.0.0.1').on('error', () => {});
      socket.pause();
      socket.write(`GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`);
      return socket;
    });
    t.after(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    const closed: (string | undefined)[] = [];
    server.on('request', ({ url, socket }) => socket.once('close', () => closed.push(url)));
    await until('it is cut off', () => closed.length > 0);
    assert.deepEqual(closed, ['/large']);
  });
});

describe('connections are counted', () => {
  const count = () => {
    const trusted = new BlockList();
    trusted.addSubnet('10.0.0.0', 8, 'ipv4');
    return new ConnectionCount(2, trusted);
  };

  it('by IPv4 address, also where it is mapped into IPv6', () => {
    const open = count();
    assert.deepEqual(
      [open.tryAdd('192.0.2.1'), open.tryAdd('::ffff:192.0.2.1'), open.tryAdd('192.0.2.1')],
      [true, true, false],
    );
    assert(open.tryAdd('192.0.2.2'));
    open.remove('::ffff:192.0.2.1');
    assert.deepEqual([open.tryAdd('192.0.2.1'), open.tryAdd('192.0.2.1')], [true, false]);
  });

  it('by /64 of IPv6, of which a caller has every address', () => {
    const open = count();
    assert.deepEqual(
      ['2001:db8::1', '2001:db8::2:2', '2001:db8:0:0:3::'].map(address => open.tryAdd(address)),
      [true, true, false],
    );
    assert(open.tryAdd('2001:db8:0:1::1'));
  });

  it('but not those of trusted proxies', () => {
    const open = count();
    for (const address of ['10.1.2.3', '10.1.2.3', '10.1.2.3', '::ffff:10.1.2.3']) assert(open.tryAdd(address));
  });
});
