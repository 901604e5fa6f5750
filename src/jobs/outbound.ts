import { lookup as resolve } from 'node:dns';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/**
 * Requests that leave this server, to addresses that others registered. They never reach a private, loopback or
 * link-local network unless the operator allows it: the address is checked after it was resolved, on the very connection
 * that is used, so that no name can point somewhere else in between. Redirects are not followed.
 */
export type Outcome =
  | { readonly kind: 'answered'; readonly status: number }
  | { readonly kind: 'failed'; readonly reason: string };

const TIMEOUT_MS = 5000;

export function postForm(address: string, body: string, allowed: BlockList): Promise<Outcome> {
  const url = new URL(address);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && !mayReach(host, allowed)) {
    return Promise.resolve({ kind: 'failed', reason: 'the address is private' });
  }
  const send = url.protocol === 'https:' ? requestHttps : requestHttp;
  const options = {
    method: 'POST',
    lookup: guardedLookup(allowed),
    signal: AbortSignal.timeout(TIMEOUT_MS),
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'content-length': Buffer.byteLength(body) },
  };
  return new Promise(done => {
    const outgoing = send(url, options, incoming => {
      // The answer's body means nothing to us; do not read what could be endless.
      incoming.destroy();
      done({ kind: 'answered', status: incoming.statusCode ?? 0 });
    });
    outgoing.on('error', error => done({ kind: 'failed', reason: error.message }));
    outgoing.end(body);
  });
}

function guardedLookup(allowed: BlockList): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      const reachable = error ? [] : addresses.filter(({ address }) => mayReach(address, allowed));
      const [first] = reachable;
      if (!first) callback(error ?? new Error('the address is private'), '', 0);
      else if (options.all) callback(null, reachable);
      else callback(null, first.address, first.family);
    });
  };
}

/** RFC 6890: networks that are not the public internet. */
const PRIVATE = new BlockList();
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const) {
  PRIVATE.addSubnet(network, bits, 'ipv4');
}
for (const [network, bits] of [
  ['::', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const) {
  PRIVATE.addSubnet(network, bits, 'ipv6');
}

export function mayReach(address: string, allowed: BlockList): boolean {
  const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
  return !PRIVATE.check(address, family) || allowed.check(address, family);
}
