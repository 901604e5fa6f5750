import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';

/** Parsing and comparing IP addresses. An IPv4-mapped IPv6 address (RFC 4291 section 2.5.5.2) counts as IPv4. */

/** `192.0.2.1`, `192.0.2.1:443`, `2001:db8::1`, `[2001:db8::1]` or `[2001:db8::1]:443` without port, brackets and zone. */
export function parseAddress(text: string): string | undefined {
  const [, inBrackets, beforePort] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d{1,5})?$/.exec(text) ?? [];
  if (inBrackets !== undefined) return isIPv6(inBrackets) ? withoutMapping(inBrackets) : undefined;
  if (beforePort !== undefined) return isIPv4(beforePort) ? beforePort : undefined;
  return isIPv6(text) ? withoutMapping(text) : undefined;
}

export function withoutMapping(address: string): string {
  // Runs for every request, mostly with an IPv4 address. `includes` is cheaper than the regular expression of isIPv6.
  if (!address.includes(':') || !isIPv6(address)) return address;
  const groups = groupsOf(address);
  const isMapped = groups[5] === 0xffff && groups.slice(0, 5).every(group => group === 0);
  if (!isMapped) return address.split('%')[0] ?? address;
  const [high = 0, low = 0] = groups.slice(6);
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
}

export function isListed(address: string, networks: BlockList): boolean {
  if (isIPv4(address)) return networks.check(address, 'ipv4');
  return isIPv6(address) && networks.check(address, 'ipv6');
}

/** The network that one caller controls: an IPv4 address, or a /64 of IPv6, because a subscriber has a whole one (RFC 6177). */
export function callerNetwork(text: string): string {
  const address = withoutMapping(text);
  if (!isIPv6(address)) return address;
  const groups = groupsOf(address).slice(0, 4);
  return `${groups.map(group => group.toString(16)).join(':')}::/64`;
}

/** The eight 16-bit groups of an IPv6 address. */
function groupsOf(address: string): number[] {
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::');
  const before = partsOf(head);
  const after = partsOf(tail ?? '');
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length;
  return [...before, ...Array<number>(zeros).fill(0), ...after];
}

/** The groups of one side of `::`, such as `db8:1`, or `ffff:192.0.2.1` at the end of an address. */
function partsOf(text: string): number[] {
  if (text === '') return [];
  return text.split(':').flatMap(part => {
    if (!part.includes('.')) return [Number.parseInt(part, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = part.split('.').map(Number);
    return [a * 256 + b, c * 256 + d];
  });
}

/** A list of addresses and networks, separated by commas. `unusable`: the first entry that is neither. */
export function parseNetworks(text: string): BlockList | { readonly unusable: string } {
  const networks = new BlockList();
  for (const entry of text.split(',').map(entry => entry.trim())) {
    if (entry === '') continue;
    const [address = '', prefix, ...rest] = entry.split('/');
    const version = isIP(address);
    const bits = version === 4 ? 32 : 128;
    const length = prefix === undefined ? bits : Number(prefix);
    if (rest.length > 0 || version === 0 || !/^\d{1,3}$/.test(prefix ?? '0') || length > bits)
      return { unusable: entry };
    networks.addSubnet(address, length, version === 4 ? 'ipv4' : 'ipv6');
  }
  return networks;
}
