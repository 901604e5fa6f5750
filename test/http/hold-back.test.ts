import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { type AddressInfo, connect, Socket } from 'node:net';
import { describe, it } from 'node:test';
import { createHoldBack } from '../../src/http/hold-back.ts';

/** Refuses whoever came too soon or asks for /refused, and says so. */
async function aServer() {
  const holdBack = createHoldBack();
  const seen: string[] = [];
  const server = createServer((incoming, outgoing) => {
    const tooSoon = holdBack.cameTooSoon(incoming.socket);
    seen.push(`${incoming.url}${tooSoon ? ' too soon' : ''}`);
    if (incoming.url === '/refused' || tooSoon) {
      holdBack.hold(incoming.socket);
      outgoing.writeHead(503).end();
    } else outgoing.writeHead(200).end();
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { seen, port, close: () => server.close() };
}

/** One connection, on which requests are sent without waiting for more than the status line. */
function aCaller(port: number) {
  const socket = connect(port, '127.0.0.1');
  socket.setEncoding('latin1');
  const statuses: string[] = [];
  let heard = () => {};
  socket.on('data', chunk => {
    for (const [, status = ''] of String(chunk).matchAll(/HTTP\/1.1 (\d+)/g)) statuses.push(status);
    heard();
  });
  return {
    ask(path: string, method = 'GET', body = ''): Promise<string | undefined> {
      socket.write(`${method} ${path} HTTP/1.1\r\nhost: a\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
      return new Promise(resolve => {
        heard = () => resolve(statuses.at(-1));
      });
    },
    end: () => socket.destroy(),
  };
}

const pause = (milliseconds: number) => new Promise(resolve => setTimeout(resolve, milliseconds));

describe('a connection that was turned away', () => {
  for (const [method, body] of [
    ['GET', ''],
    ['POST', 'token=abc'],
  ] as const) {
    it(`is heard again only after a while, and its next ${method} was sent too soon`, async t => {
      const server = await aServer();
      const caller = aCaller(server.port);
      t.after(() => {
        caller.end();
        server.close();
      });
      assert.equal(await caller.ask('/refused', method, body), '503');
      const asked = performance.now();
      assert.equal(await caller.ask('/again', method, body), '503');
      assert(performance.now() - asked > 80, 'it was answered at once');
      assert.deepEqual(server.seen, ['/refused', '/again too soon']);
    });
  }

  it('is served if it waited', async t => {
    const server = await aServer();
    const caller = aCaller(server.port);
    t.after(() => {
      caller.end();
      server.close();
    });
    assert.equal(await caller.ask('/refused'), '503');
    await pause(200);
    const asked = performance.now();
    assert.equal(await caller.ask('/later'), '200');
    assert(performance.now() - asked < 80, 'it was held back for longer than it should');
  });

  it('does not keep others waiting', async t => {
    const server = await aServer();
    const refused = aCaller(server.port);
    const other = aCaller(server.port);
    t.after(() => {
      refused.end();
      other.end();
      server.close();
    });
    assert.equal(await refused.ask('/refused'), '503');
    assert.equal(await other.ask('/other'), '200');
    assert.deepEqual(server.seen, ['/refused', '/other']);
  });

  it('is held back once, however many of its requests were refused', async t => {
    const held: Socket[] = [];
    const { pause: original } = Socket.prototype;
    const holdBack = createHoldBack();
    const [one, other] = [new Socket(), new Socket()];
    for (const socket of [one, other]) {
      socket.pause = () => {
        held.push(socket);
        return original.call(socket);
      };
    }
    t.after(() => {
      one.destroy();
      other.destroy();
    });
    for (let count = 0; count < 64; count++) holdBack.hold(one);
    holdBack.hold(other);
    await pause(20);
    assert.deepEqual(held, [one, other]);
  });

  it('may end while it is held back', async t => {
    const server = await aServer();
    const caller = aCaller(server.port);
    t.after(() => server.close());
    assert.equal(await caller.ask('/refused'), '503');
    caller.end();
    await pause(250);
    const other = aCaller(server.port);
    assert.equal(await other.ask('/other'), '200');
    other.end();
  });
});
