import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { callerNetwork } from '../../../src/platform/http/network-address.ts';

describe('the site of an address, which a limit per address counts', () => {
  for (const [address, site] of [
    ['192.0.2.7', '192.0.2.7'],
    ['2001:db8:0:1::7', '2001:db8:0:1::/64'],
    ['2001:DB8:0:1:ffff:ffff:ffff:ffff', '2001:db8:0:1::/64'],
    ['2001:0db8:0000:0001::', '2001:db8:0:1::/64'],
    ['2001:db8:0:2::7', '2001:db8:0:2::/64'],
    ['2001:db8::7', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['1::', '1:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::FFFF:192.0.2.7', '192.0.2.7'],
    ['', ''],
  ] as const) {
    it(`${address} is ${site}`, () => assert.equal(callerNetwork(address), site));
  }
});
