import { BlockList, isIPv4, isIPv6 } from 'node:net';
import { isListed, withoutMapping } from '../http/network-address.ts';

/**
 * Whether an address is on the public internet. IPv4: what the IANA special-purpose registry (RFC 6890) does not list and is no
 * multicast. IPv6: 2000::/3, all that is assigned for global unicast (RFC 4291 section 2.4), without what the registry lists in it.
 * Blocks that the registry calls globally reachable are refused too: name servers and relays are there, and no client.
 */
const SPECIAL_IPV4: readonly (readonly [network: string, bits: number])[] = [
  ['0.0.0.0', 8], // this network
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // shared by carriers
  ['127.0.0.0', 8], // loopback
  ['169.254.0.0', 16], // link-local
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments
  ['192.0.2.0', 24], // documentation
  ['192.31.196.0', 24], // AS112
  ['192.52.193.0', 24], // multicast tunnels
  ['192.88.99.0', 24], // relays of 6to4
  ['192.168.0.0', 16], // private
  ['192.175.48.0', 24], // AS112
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, and broadcast
];
const SPECIAL_IPV6: readonly (readonly [network: string, bits: number])[] = [
  ['2001::', 23], // protocol assignments: Teredo, benchmarks, AS112, ORCHID, drones
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4: any IPv4 address, private ones too
  ['2620:4f:8000::', 48], // AS112
  ['3fff::', 20], // documentation
];

/**
 * Where clouds give credentials to any process that asks from inside. A wide network in GATEHOUSE_OUTBOUND_ALLOW must not include
 * them by accident, and no client listens there, so they are never reached.
 */
const METADATA: readonly string[] = [
  '169.254.169.254', // Amazon, Azure, Google, Oracle and most others
  '169.254.169.253', // Amazon: name server
  '169.254.169.123', // Amazon: time
  '169.254.170.2', // Amazon: containers
  '169.254.170.23', // Amazon: pods
  '169.254.0.23', // Tencent
  '100.100.100.200', // Alibaba
  '168.63.129.16', // Azure: host agent, an address like any public one
  '192.0.0.192', // Oracle
  'fd00:ec2::254', // Amazon
  'fd00:ec2::23', // Amazon: pods
  'fd20:ce::254', // Google
  'fd00:c1::a9fe:a9fe', // Oracle
  'fd00:42::42', // Scaleway
  '64:ff9b::a9fe:a9fe', // 169.254.169.254 through NAT64 (RFC 6052)
];

const special = new BlockList();
for (const [network, bits] of SPECIAL_IPV4) special.addSubnet(network, bits, 'ipv4');
for (const [network, bits] of SPECIAL_IPV6) special.addSubnet(network, bits, 'ipv6');

const globalUnicast = new BlockList();
globalUnicast.addSubnet('2000::', 3, 'ipv6');

const metadata = new BlockList();
for (const address of METADATA) metadata.addAddress(address, isIPv4(address) ? 'ipv4' : 'ipv6');

/**
 * For addresses that the operator has set for the whole server, and nobody else can: any but those of METADATA. GATEHOUSE_OUTBOUND_ALLOW
 * would open the same networks to what applications register.
 */
export const ANY_ADDRESS = new BlockList();
ANY_ADDRESS.addSubnet('0.0.0.0', 0, 'ipv4');
ANY_ADDRESS.addSubnet('::', 0, 'ipv6');

/** `allowed`: networks that are not public and may be reached all the same (GATEHOUSE_OUTBOUND_ALLOW). */
export function mayReach(address: string, allowed: BlockList): boolean {
  const plain = withoutMapping(address);
  if (isListed(plain, metadata)) return false;
  return isPublic(plain) || isAllowed(plain, allowed);
}

/** Whether the operator named the network of this address. */
export function isAllowed(address: string, allowed: BlockList): boolean {
  return isListed(withoutMapping(address), allowed);
}

function isPublic(address: string): boolean {
  if (isIPv6(address) && !isListed(address, globalUnicast)) return false;
  return !isListed(address, special);
}
