import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { discardBody } from '../../../src/platform/http/discard-body.ts';

const CHUNKS = '1\r\na\r\n'.repeat(10_000);
const FLOOD = `POST /flood HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n${CHUNKS}`;

describe('a connection closed in the middle of a body of 10,000 chunks', () => {
  let server: Server;
  let handedOver = 0;

  before(async () => {
    server = createServer((incoming, outgoing) => {
      if (incoming.url !== '/flood') return void incoming.pipe(outgoing);
      incoming.once('data', () => {
        discardBody(incoming.socket);
        incoming.socket.destroy();
        countPieces(incoming);
      });
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  after(() => server.close());

  it('is closed, and no further chunk is handed over', async () => {
    await flood();
    assert.equal(handedOver, 0);
  });

  it('its parser receives the bodies of later connections', async () => {
    for (let round = 0; round < 50; round++) {
      const [, echo] = await Promise.all([flood(), echoOf('here')]);
      assert.equal(echo, 'here');
      assert.equal(await echoOf('again'), 'again');
    }
  });

  /** node:http calls push for each piece that the parser hands over. */
  function countPieces(incoming: IncomingMessage): void {
    incoming.push = () => {
      handedOver++;
      return true;
    };
  }

  const port = () => (server.address() as AddressInfo).port;

  async function flood(): Promise<void> {
    const socket = connect(port(), '127.0.0.1');
    socket.on('error', () => {}).resume();
    socket.write(FLOOD);
    await once(socket, 'close');
  }

  async function echoOf(body: string): Promise<string> {
    const answer = await fetch(`http://127.0.0.1:${port()}/`, {
      method: 'POST',
      body,
      headers: { connection: 'close' },
    });
    return answer.text();
  }
});
