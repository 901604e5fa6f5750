import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { createKeptConnections, type KeptConnections } from '../../../src/platform/outbound/kept-connections.ts';
import { type Outcome, sendRequest } from '../../../src/platform/outbound/request.ts';
import { LOOPBACK_TOO, PUBLIC_ONLY } from './outbounds.ts';

/** What the peer does with the nth request of a connection. */
type Behaviour = (socket: Socket, request: number, connection: number) => void;

const answer = (socket: Socket, text: string) =>
  socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${text.length}\r\n\r\n${text}`);
const named: Behaviour = (socket, request, connection) => answer(socket, `${connection}.${request}`);

describe('kept connections to one party', () => {
  let peer: Server;
  let connections: KeptConnections;
  let behave: Behaviour;
  let made: number;
  let open: Set<Socket>;
  beforeEach(async () => {
    made = 0;
    open = new Set();
    behave = named;
    connections = createKeptConnections();
    peer = createServer(socket => {
      const connection = ++made;
      let requests = 0;
      open.add(socket);
      socket.on('data', () => behave(socket, ++requests, connection));
      socket.on('error', () => {}).on('close', () => open.delete(socket));
    });
    peer.listen(0, '127.0.0.1');
    await once(peer, 'listening');
  });
  afterEach(async () => {
    connections.close();
    for (const socket of open) socket.destroy();
    peer.close();
    await once(peer, 'close');
  });
  const url = () => `http://127.0.0.1:${(peer.address() as AddressInfo).port}/`;
  const ask = (maxBytes = 1000, outbound = LOOPBACK_TOO) =>
    sendRequest({ method: 'POST', url: url(), body: 'x=1', maxBytes, isDocument: true, connections }, outbound);
  const get = () =>
    sendRequest({ method: 'GET', url: url(), maxBytes: 1000, isDocument: true, connections }, LOOPBACK_TOO);
  const textOf = async (outcome: Promise<Outcome>) => {
    const answered = await outcome;
    return answered.kind === 'answered' ? answered.body.toString() : answered.reason;
  };

  it('requests in a row share one', async () => {
    const all = [await textOf(ask()), await textOf(ask()), await textOf(ask())];
    assert.deepEqual(all, ['1.1', '1.2', '1.3']);
  });

  /** How a connection ends that was kept, once it has brought another request. */
  const endings: readonly (readonly [string, (socket: Socket) => void])[] = [
    ['closes', socket => socket.end()],
    ['resets', socket => socket.resetAndDestroy()],
    ['closes in the middle of its answer', socket => socket.end('HTTP/1.1 200 OK\r\ncontent-le')],
  ];
  for (const [what, end] of endings) {
    const ends: Behaviour = (socket, request, connection) =>
      request === 1 ? answer(socket, `${connection}.1`) : end(socket);

    it(`a peer ${what}, and has read a POST: it is sent once, since a code counts once (RFC 9110 section 9.2.2)`, async () => {
      let received = 0;
      behave = (socket, request, connection) => {
        received++;
        ends(socket, request, connection);
      };
      assert.equal(await textOf(ask()), '1.1');
      assert.equal((await ask()).kind, 'failed');
      assert.deepEqual([received, made], [2, 1]);
      assert.equal(await textOf(ask()), '2.1', 'and the next one has a connection of its own');
    });
  }

  for (const [what, end] of endings.slice(0, 2)) {
    it(`a peer ${what} as a GET arrives: it is sent once more, on a connection of its own, and not a third time`, async () => {
      behave = (socket, request, connection) => (request === 1 ? answer(socket, `${connection}.1`) : end(socket));
      assert.equal(await textOf(get()), '1.1');
      assert.equal(await textOf(get()), '2.1');
      assert.equal(await textOf(get()), '3.1');
      behave = end;
      assert.equal((await get()).kind, 'failed');
      assert.equal(made, 4);
    });
  }

  it('one that was closed before a POST is not used for it, though nobody has noticed yet', async () => {
    assert.equal(await textOf(ask()), '1.1');
    for (const socket of open) socket.resetAndDestroy();
    assert.equal(await textOf(ask()), '2.1');
  });

  it('a request on a new one is sent once, whatever becomes of it', async () => {
    behave = socket => socket.resetAndDestroy();
    assert.match(await textOf(ask()), /ECONNRESET/);
    assert.equal(made, 1);
  });

  it('an answer that is not read to its end, or is too long, leaves none behind', async () => {
    assert.equal(await textOf(ask(0)), '');
    behave = socket => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nxyz');
    assert.match(await textOf(ask(2)), /longer than 2 bytes/);
    behave = named;
    assert.equal(await textOf(ask()), '3.1');
  });

  it('an address that the operator does not allow is refused, though there is a connection to it', async () => {
    assert.equal(await textOf(ask()), '1.1');
    assert.match(await textOf(ask(1000, PUBLIC_ONLY)), /the address is not/);
    assert.equal(made, 1);
  });
});
