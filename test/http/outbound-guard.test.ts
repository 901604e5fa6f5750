import assert from 'node:assert/strict';
import { BlockList } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { readConfig } from '../../src/config.ts';
import { deliverLogoutNotices } from '../../src/jobs/deliveries.ts';
import { mayReach, postForm } from '../../src/jobs/outbound.ts';
import { aClient, anApplication } from '../build/fixture.ts';
import { openHouse } from '../build/house.ts';
import { signedIn, tokensOf } from '../build/people.ts';
import { openReceiver, type Receiver } from '../build/receiver.ts';
import { query } from '../build/visitor.ts';

const NOTHING = new BlockList();

describe('what leaves the server never reaches a network that is not public, unless allowed (issue 3, point 4)', () => {
  const refused = [
    '0.0.0.0',
    '10.0.0.1',
    '100.64.0.1',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.8',
    '192.168.1.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::127.0.0.1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:10.0.0.1',
    '::ffff:169.254.169.254',
    '::ffff:c0a8:101',
    '64:ff9b::7f00:1',
    '64:ff9b:1::a00:1',
    '2002:7f00:1::',
    'fc00::1',
    'fd12:3456::1',
    'fe80::1',
    'febf::1',
    'fec0::1',
    'ff02::1',
  ];
  for (const address of refused) it(`not ${address}`, () => assert.equal(mayReach(address, NOTHING), false));

  for (const address of [
    '1.1.1.1',
    '172.15.255.255',
    '172.32.0.1',
    '100.128.0.1',
    '2606:4700::1111',
    '::ffff:1.1.1.1',
  ]) {
    it(`but ${address}`, () => assert.equal(mayReach(address, NOTHING), true));
  }

  it('and what GATEHOUSE_OUTBOUND_ALLOW names, no more', () => {
    const read = readConfig({ GATEHOUSE_OUTBOUND_ALLOW: '10.1.0.0/16, fd00:1::/32' });
    assert(read.kind === 'valid');
    const { outboundAllowed } = read.config;
    for (const address of ['10.1.2.3', 'fd00:1::7']) assert.equal(mayReach(address, outboundAllowed), true, address);
    for (const address of ['10.2.0.1', '127.0.0.1', 'fd00:2::1'])
      assert.equal(mayReach(address, outboundAllowed), false);
  });

  it('a wrong value of GATEHOUSE_OUTBOUND_ALLOW stops the start', () => {
    assert.equal(readConfig({ GATEHOUSE_OUTBOUND_ALLOW: 'everything' }).kind, 'faulty');
    assert.equal(readConfig({ GATEHOUSE_OUTBOUND_ALLOW: '10.0.0.0/33' }).kind, 'faulty');
  });
});

describe('a listener on a private address is not reached, whatever it is called', () => {
  let receiver: Receiver;
  let port: string;
  before(async () => {
    receiver = await openReceiver();
    ({ port } = new URL(receiver.address));
  });
  after(() => receiver.down());

  const names = [
    '127.0.0.1',
    'localhost',
    'LOCALHOST',
    '127.1',
    '2130706433',
    '0x7f.0.0.1',
    '0177.0.0.1',
    '0.0.0.0',
    '0',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[0:0:0:0:0:ffff:127.0.0.1]',
    '①②⑦.0.0.1',
  ];
  for (const name of names) {
    it(name, async () => {
      const outcome = await postForm(`http://${name}:${port}/bcl`, 'a=b', NOTHING);
      assert.deepEqual(outcome, { kind: 'failed', reason: 'the address is private' });
      assert.equal(receiver.received.length, 0);
    });
  }

  it('by its address and by a name that resolves to it, once allowed', async () => {
    const allowed = new BlockList();
    allowed.addAddress('127.0.0.1', 'ipv4');
    for (const name of ['127.0.0.1', 'localhost']) {
      const outcome = await postForm(`http://${name}:${port}/bcl`, 'a=b', allowed);
      assert.deepEqual(outcome, { kind: 'answered', status: 200 });
    }
    assert.equal(receiver.received.length, 2);
    receiver.received.length = 0;
  });

  it('not by a whole logout either: the notice waits, and the log says why', async () => {
    const clients = [aClient({ backchannel_logout_uri: receiver.address })];
    const house = await openHouse({ applications: [anApplication({ clients })] });
    const visitor = await signedIn(house);
    const { id_token } = await tokensOf(house, visitor);
    await visitor.follow(`${house.at()}/logout?${query({ id_token_hint: id_token })}`);
    await deliverLogoutNotices(house.services);
    assert.equal(receiver.received.length, 0);
    assert.match(house.logged(), /logout\.postponed.*private/);
    await house.close();
  });
});
