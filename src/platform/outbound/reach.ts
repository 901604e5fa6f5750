import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { Outbound } from './outbound.ts';
import { mayReach } from './public-address.ts';

/** 2 s of 5: an operator waits for it, and learns nothing that the request itself does not tell. */
const LOOKUP_SHARE = 0.4;

/**
 * Why requests to this URL would never be sent; undefined if they would, or if nobody can tell yet: a name may come to be later. What a
 * request does is decided on its own connection (request.ts); this tells an operator in time. The text names no address: it would tell
 * what the names of the inner network resolve to.
 */
export async function unreachable(url: string, outbound: Outbound): Promise<string | undefined> {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  const addresses = isIP(host) === 0 ? await addressesOf(host, outbound) : [host];
  if (addresses.length === 0 || addresses.some(address => mayReach(address, outbound.allowed))) return undefined;
  return 'points to a private network, not to the public internet. To allow it, set GATEHOUSE_OUTBOUND_ALLOW';
}

/** RFC 6761 sections 6.4 and 6.5: nobody answers for these names. */
const RESERVED = /\.(example|invalid)\.?$/i;

async function addressesOf(host: string, { timeoutMs }: Outbound): Promise<readonly string[]> {
  if (RESERVED.test(host)) return [];
  const late = new AbortController();
  const found = lookup(host, { all: true }).then(
    all => all.map(({ address }) => address),
    () => [],
  );
  const nothing = setTimeout(timeoutMs * LOOKUP_SHARE, [], { signal: late.signal, ref: false }).catch(() => []);
  try {
    return await Promise.race([found, nothing]);
  } finally {
    late.abort();
  }
}
