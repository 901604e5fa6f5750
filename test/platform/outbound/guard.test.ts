import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { readConfig } from '../../../src/platform/config/config.ts';
import { mayReach } from '../../../src/platform/outbound/public-address.ts';
import { postForm } from '../../../src/platform/outbound/request.ts';
import { deliverLogoutNotices } from '../../build/deliver-notices.ts';
import { aClient, anApplication } from '../../build/fixture.ts';
import { signedIn, tokensOf } from '../../build/people.ts';
import { openReceiver, type Receiver } from '../../build/receiver.ts';
import { startTestServer } from '../../build/test-server.ts';
import { query } from '../../build/visitor.ts';
import { LOOPBACK_TOO, PUBLIC_ONLY } from './outbounds.ts';

const NOTHING = PUBLIC_ONLY.allowed;

describe('what leaves the server never reaches a network that is not public, unless allowed (issue 3, point 4)', () => {
  /** First and last address of every block of the IANA special-purpose registries, multicast, and what embeds IPv4. */
  const refused = [
    ...['0.0.0.0', '0.255.255.255', '10.0.0.0', '10.255.255.255', '100.64.0.0', '100.127.255.255'],
    ...['127.0.0.1', '127.255.255.254', '169.254.0.0', '169.254.255.255', '172.16.0.0', '172.31.255.255'],
    ...['192.0.0.0', '192.0.0.255', '192.0.2.0', '192.0.2.255', '192.31.196.0', '192.31.196.255'],
    ...['192.52.193.0', '192.52.193.255', '192.88.99.0', '192.88.99.255', '192.168.0.0', '192.168.255.255'],
    ...['192.175.48.0', '192.175.48.255', '198.18.0.0', '198.19.255.255', '198.51.100.0', '198.51.100.255'],
    ...['203.0.113.0', '203.0.113.255', '224.0.0.1', '239.255.255.255', '240.0.0.0', '255.255.255.255'],
    ...['::', '::1', '::127.0.0.1', '::1.1.1.1', '::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:10.0.0.1'],
    ...['::ffff:169.254.169.254', '::ffff:c0a8:101', '0:0:0:0:0:ffff:127.0.0.1', '::ffff:0:127.0.0.1'],
    ...['64:ff9b::7f00:1', '64:ff9b::808:808', '64:ff9b:1::a00:1', '100::1', '100:0:0:1::1', '1fff::1'],
    ...[
      '2001::1',
      '2001:0:7f00:1::',
      '2001:1::1',
      '2001:2::1',
      '2001:3::1',
      '2001:4:112::1',
      '2001:10::1',
      '2001:20::1',
    ],
    ...['2001:30::1', '2001:1ff:ffff::1', '2001:db8::1', '2001:db8:ffff::1', '2002:7f00:1::', '2002:808:808::1'],
    ...['2620:4f:8000::1', '3fff::1', '3fff:fff::1', '4000::1', '5f00::1', '8000::1', 'fc00::1', 'fd12:3456::1'],
    ...['fe80::1', 'fe80::1%eth0', 'febf::1', 'fec0::1', 'ff02::1', 'ff0e::1'],
  ];
  for (const address of refused) it(`not ${address}`, () => assert.equal(mayReach(address, NOTHING), false));

  /** The neighbours of those blocks. */
  const reached = [
    ...['1.0.0.0', '1.1.1.1', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255'],
    ...['128.0.0.0', '169.253.255.255', '169.255.0.0', '172.15.255.255', '172.32.0.0', '192.0.1.0', '192.0.3.0'],
    ...['192.31.195.255', '192.31.197.0', '192.52.192.255', '192.52.194.0', '192.88.98.255', '192.88.100.0'],
    ...['192.167.255.255', '192.169.0.0', '192.175.47.255', '192.175.49.0', '198.17.255.255', '198.20.0.0'],
    ...['198.51.99.255', '198.51.101.0', '203.0.112.255', '203.0.114.0', '223.255.255.255', '168.63.129.15'],
    ...['::ffff:1.1.1.1', '::ffff:101:101', '2000::1', '2001:200::1', '2001:db7:ffff::1', '2001:db9::1', '2003::1'],
    ...['2606:4700::1111', '2620:4f:7fff::1', '2620:4f:8001::1', '3ffe:ffff::1', '3fff:1000::1'],
  ];
  for (const address of reached) it(`but ${address}`, () => assert.equal(mayReach(address, NOTHING), true));

  for (const address of [
    ...['169.254.169.254', '::ffff:169.254.169.254', '::ffff:a9fe:a9fe', '169.254.170.2', '169.254.0.23'],
    ...['100.100.100.200', '168.63.129.16', '::ffff:168.63.129.16', '192.0.0.192', 'fd00:ec2::254', 'fd20:ce::254'],
    ...['fd00:ec2:0:0:0:0:0:254', 'fd00:c1::a9fe:a9fe', 'fd00:42::42', '64:ff9b::169.254.169.254'],
  ]) {
    it(`never the metadata service at ${address}, though every network is allowed`, () => {
      const read = readConfig({ GATEHOUSE_OUTBOUND_ALLOW: '0.0.0.0/0, ::/0' });
      assert(read.kind === 'valid');
      assert.equal(mayReach(address, read.config.outbound.allowed), false);
    });
  }

  it('and what GATEHOUSE_OUTBOUND_ALLOW names, no more', () => {
    const read = readConfig({ GATEHOUSE_OUTBOUND_ALLOW: '10.1.0.0/16, fd00:1::/32' });
    assert(read.kind === 'valid');
    const { allowed } = read.config.outbound;
    for (const address of ['10.1.2.3', 'fd00:1::7']) assert.equal(mayReach(address, allowed), true, address);
    for (const address of ['10.2.0.1', '127.0.0.1', 'fd00:2::1']) assert.equal(mayReach(address, allowed), false);
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
      const outcome = await postForm(`http://${name}:${port}/bcl`, 'a=b', PUBLIC_ONLY);
      assert.deepEqual(outcome, { kind: 'failed', reason: 'the address is not public' });
      assert.equal(receiver.received.length, 0);
    });
  }

  it('by its address and by a name that resolves to it, once allowed', async () => {
    for (const name of ['127.0.0.1', 'localhost']) {
      const outcome = await postForm(`http://${name}:${port}/bcl`, 'a=b', LOOPBACK_TOO);
      assert(outcome.kind === 'answered');
      assert.equal(outcome.status, 200);
    }
    assert.equal(receiver.received.length, 2);
    receiver.received.length = 0;
  });

  it('not by a whole logout either: the notice waits, and the log says why', async () => {
    const clients = [aClient({ backchannel_logout_uri: receiver.address })];
    const server = await startTestServer({ applications: [anApplication({ clients })] });
    const visitor = await signedIn(server);
    const { id_token } = await tokensOf(server, visitor);
    await visitor.follow(`${server.at()}/logout?${query({ id_token_hint: id_token })}`);
    await deliverLogoutNotices(server.services);
    assert.equal(receiver.received.length, 0);
    assert.match(server.logged(), /logout\.postponed.*not public/);
    await server.close();
  });
});
