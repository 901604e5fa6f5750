import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, afterEach, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { aTokenSet, introspect } from '../build/client.ts';
import { type House, openHouse } from '../build/house.ts';

/** More than may be under way at once (http/admission.ts), for longer than that may last. */
const MANY = 300;
const LONGER_MS = 250;

describe('requests whose body does not come', () => {
  let house: House;
  let token: string;
  const sockets: Socket[] = [];
  before(async () => {
    house = await openHouse();
    ({ access_token: token } = await aTokenSet(house));
  });
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });
  after(() => house.close());

  const beginMany = async () => {
    const { hostname, port } = new URL(house.base);
    for (let count = 0; count < MANY; count++) {
      const socket = connect(Number(port), hostname).on('error', () => {});
      await once(socket, 'connect');
      socket.write(
        'POST /api/v1/authorize/shop/oauth2/introspect HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\ntoken=',
      );
      sockets.push(socket);
    }
    await pause(LONGER_MS);
  };
  /** Twice: the first finds out that there are too many, the second would be turned away. */
  const assertServed = async () => {
    for (let time = 0; time < 2; time++) assert.equal((await introspect(house, { token })).json.active, true);
  };

  it('take nobody’s place while they wait', async () => {
    await beginMany();
    await assertServed();
  });

  it('take nobody’s place after their senders are gone', async () => {
    await beginMany();
    for (const socket of sockets.splice(0)) socket.destroy();
    await pause(LONGER_MS);
    await assertServed();
  });
});
