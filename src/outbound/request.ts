import { lookup as resolve } from 'node:dns';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { type BlockList, isIP, type LookupFunction } from 'node:net';
import { mayReach } from './public-address.ts';

/**
 * Requests that leave this server, to addresses that others registered. They reach the public internet and what the operator
 * allows (public-address.ts): the address is checked after it was resolved, on the very connection that is used, so that no
 * name can point somewhere else in between. Redirects are not followed.
 */
export type Outcome =
  | { readonly kind: 'answered'; readonly status: number }
  | { readonly kind: 'failed'; readonly reason: string };

const TIMEOUT_MS = 5000;
const NOT_PUBLIC = 'the address is not public';

export function postForm(address: string, body: string, allowed: BlockList): Promise<Outcome> {
  const url = new URL(address);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && !mayReach(host, allowed)) {
    return Promise.resolve({ kind: 'failed', reason: NOT_PUBLIC });
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
      if (!first) callback(error ?? new Error(NOT_PUBLIC), '', 0);
      else if (options.all) callback(null, reachable);
      else callback(null, first.address, first.family);
    });
  };
}
