import { isIPv4, isIPv6 } from 'node:net';

/**
 * Whom a limit per address counts. A subscriber of IPv6 has a whole /64 (RFC 6177), so its addresses count as one; an IPv4
 * address in IPv6 notation counts as the IPv4 address that it is.
 */
export function siteOf(address: string): string {
  if (!isIPv6(address)) return address;
  const plain = address.split('%')[0]?.toLowerCase() ?? '';
  const mapped = plain.startsWith('::ffff:') ? plain.slice('::ffff:'.length) : '';
  return isIPv4(mapped) ? mapped : `${firstFourGroups(plain)}::/64`;
}

function firstFourGroups(address: string): string {
  const [head = '', tail] = address.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  // Fewer than eight groups: the double colon stands for the zeros in between.
  const zeros = Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0');
  return [...before, ...zeros, ...after]
    .slice(0, 4)
    .map(group => Number.parseInt(group, 16).toString(16))
    .join(':');
}
