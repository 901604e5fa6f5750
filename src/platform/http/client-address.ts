import type { BlockList } from 'node:net';
import { isListed, parseAddress, withoutMapping } from './network-address.ts';

/** More proxies than any request passes. A header full of trusted addresses must not cost more than this to read. */
const MAX_PROXIES = 32;

/**
 * The address of the caller. Each proxy appends the address that it saw to X-Forwarded-For, so the header is read from the right, from one
 * trusted proxy to the one before it. The first address that is not a trusted proxy is the caller's; the caller wrote what stands left of it.
 * An entry that is no address ends the search, and the address before it counts.
 */
export function clientAddress(connection: string, forwardedFor: string, trusted: BlockList | undefined): string {
  let address = withoutMapping(connection);
  if (!trusted) return address;
  let end = forwardedFor.length;
  for (let walked = 0; walked < MAX_PROXIES && end > 0 && isListed(address, trusted); walked++) {
    const comma = forwardedFor.lastIndexOf(',', end - 1);
    const before = parseAddress(forwardedFor.slice(comma + 1, end).trim());
    if (before === undefined) break;
    address = before;
    end = comma;
  }
  return address;
}
