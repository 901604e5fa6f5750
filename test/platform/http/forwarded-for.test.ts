import assert from 'node:assert/strict';
import { BlockList } from 'node:net';
import { describe, it } from 'node:test';
import { clientAddress } from '../../../src/platform/http/client-address.ts';
import { callerNetwork, parseAddress } from '../../../src/platform/http/network-address.ts';
import type { Attempt } from '../../../src/platform/throttle/attempts.ts';
import type { Throttle } from '../../../src/platform/throttle/throttle.ts';
import { token, WEB } from '../../build/client.ts';
import { suiteServer } from '../../build/test-server.ts';

const trusted = new BlockList();
trusted.addAddress('127.0.0.1', 'ipv4');
trusted.addSubnet('10.0.0.0', 8, 'ipv4');
trusted.addSubnet('fd00::', 8, 'ipv6');

const PROXY = '127.0.0.1';

/** What the header says, and whose address counts, for a connection that comes from a trusted proxy. */
const cases: readonly (readonly [attack: string, header: string, address: string])[] = [
  [
    'an address of the attacker’s choice before the real one with its port',
    '6.6.6.6, 198.51.100.4:51000',
    '198.51.100.4',
  ],
  ['an address of the attacker’s choice before the real one', '6.6.6.6, 198.51.100.4', '198.51.100.4'],
  ['a trusted address of the attacker’s choice', '10.0.0.1, 198.51.100.4', '198.51.100.4'],
  ['a false entry behind an inner proxy', '6.6.6.6, 198.51.100.4, 10.1.1.1', '198.51.100.4'],
  ['a false entry behind inner proxies with ports', '6.6.6.6, 198.51.100.4:51000, 10.1.1.1:80', '198.51.100.4'],
  ['a false entry before IPv6 with a port', '6.6.6.6, [2001:db8::1]:443', '2001:db8::1'],
  ['a false entry before IPv6 in brackets', '6.6.6.6, [2001:db8::1]', '2001:db8::1'],
  ['a false entry before IPv6', '6.6.6.6,2001:db8::1', '2001:db8::1'],
  ['a false entry before IPv4 mapped into IPv6', '6.6.6.6, ::ffff:1.2.3.4', '1.2.3.4'],
  ['a false entry before IPv4 mapped into IPv6, with a port', '6.6.6.6, [::ffff:102:304]:443', '1.2.3.4'],
  ['a false entry before an inner proxy of IPv6', '6.6.6.6, 198.51.100.4, [fd00::1]:443', '198.51.100.4'],
  ['a false entry before one that is no address', '6.6.6.6, unknown', PROXY],
  ['a false entry before one that is no address and an inner proxy', '6.6.6.6, unknown, 10.1.1.1', '10.1.1.1'],
  ['a false entry before an empty one', '6.6.6.6, , 10.1.1.1', '10.1.1.1'],
  ['a false entry before a comma', '6.6.6.6,', PROXY],
  ['a false entry before an address with a port that is none', '6.6.6.6, 198.51.100.4:http', PROXY],
  ['a false entry before an obfuscated name (RFC 7239 section 6.3)', '6.6.6.6, _hidden', PROXY],
  ['a name', 'localhost', PROXY],
  ['an empty header', '', PROXY],
  ['a caller inside the trusted network', '10.7.7.7', '10.7.7.7'],
  ['a zone', 'fe80::1%eth0', 'fe80::1'],
];

describe('a false X-Forwarded-For (issue 10, C.4)', () => {
  for (const [attack, header, address] of cases) {
    it(`${attack}: "${header}" is ${address}`, () => assert.equal(clientAddress(PROXY, header, trusted), address));
  }

  it('from a connection that is no trusted proxy’s is not looked at', () => {
    assert.equal(clientAddress('198.51.100.4', '6.6.6.6', trusted), '198.51.100.4');
    assert.equal(clientAddress('::ffff:198.51.100.4', '6.6.6.6', trusted), '198.51.100.4');
    assert.equal(clientAddress(PROXY, '6.6.6.6', undefined), PROXY);
  });

  it('that names a thousand trusted proxies is not walked to its end', () => {
    assert.equal(clientAddress(PROXY, `6.6.6.6${', 10.0.0.1'.repeat(1000)}`, trusted), '10.0.0.1');
    assert.equal(clientAddress(PROXY, `6.6.6.6${', 10.0.0.1'.repeat(20)}`, trusted), '6.6.6.6');
  });

  it('of 48 KiB names no caller, whatever it is made of (bench:operations has its cost)', () => {
    for (const part of [', 10.0.0.1', ',', '1', '[', ':', ', [fd00::1]:1']) {
      const header = part.repeat((48 * 1024) / part.length);
      assert.match(clientAddress(PROXY, header, trusted), /^(127\.0\.0\.1|10\.0\.0\.1|fd00::1)$/, part);
    }
  });
});

describe('an address', () => {
  for (const text of [
    '',
    '1.2.3',
    '1.2.3.4.5',
    '256.1.1.1',
    '1.2.3.4:',
    '1.2.3.4:123456',
    '[1.2.3.4]',
    '[::1',
    '::1]',
    'g::1',
    '[::1]443',
    '0x7f.1',
  ]) {
    it(`is not "${text}"`, () => assert.equal(parseAddress(text), undefined));
  }

  for (const [address, network] of [
    ['192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:db8::', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
  ] as const) {
    it(`${address} counts as ${network}`, () => assert.equal(callerNetwork(address), network));
  }
});

describe('a guesser behind a trusted proxy (row 42)', () => {
  const seen: Attempt[] = [];
  const throttle = (own: Throttle): Throttle => ({
    ...own,
    admit(attempt) {
      seen.push(attempt);
      return own.admit(attempt);
    },
  });
  const server = suiteServer({ env: { TRUSTED_PROXIES: '127.0.0.1' }, throttle });

  it('is counted by the address that the proxy saw, not by the one it sent itself', async () => {
    const headers = { 'x-forwarded-for': '6.6.6.6, 198.51.100.4:51000' };
    await token(server, { grant_type: 'password', username: 'alice', password: 'x' }, { auth: WEB, headers });
    const addresses = seen.flatMap(attempt => ('address' in attempt ? [attempt.address] : []));
    assert.deepEqual(addresses, ['198.51.100.4', '198.51.100.4'], 'of the client, and of the user');
  });
});
