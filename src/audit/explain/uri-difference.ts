import { editDistance } from '../refusals/similar.ts';
import type { Difference } from './explanation.ts';

/** A URI in its parts (RFC 3986 appendix B), each as it is written. */
interface Parts {
  readonly scheme: string;
  readonly user: string;
  readonly host: string;
  readonly port: string;
  readonly path: string;
  readonly query: string;
  readonly fragment: string;
}

function partsOf(uri: string): Parts {
  const [, scheme = '', authority = '', path = '', query = '', fragment = ''] =
    /^([^:/?#]*:)?(\/\/[^/?#]*)?([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(uri) ?? [];
  const [, user = '', host = '', port = ''] = /^\/\/(.*@)?(\[[^\]]*\]|[^:]*)(:.*)?$/s.exec(authority) ?? [];
  return { scheme, user, host, port, path, query, fragment };
}

interface Fault {
  readonly kind: string;
  readonly text: string;
}

/** `side`: what the URI that was expected is called. */
type Compare = (wanted: Parts, received: Parts, side: Side) => Fault | undefined;

export type Side = 'registered' | 'expected';

const differs = (part: keyof Parts, describe: (wanted: Parts, received: Parts, side: Side) => Fault): Compare => {
  return (wanted, received, side) => (wanted[part] === received[part] ? undefined : describe(wanted, received, side));
};

/** In the order in which they are told. */
const COMPARISONS: readonly Compare[] = [
  differs('scheme', ({ scheme: wanted }, { scheme }, side) => ({
    kind: 'scheme',
    text: `The ${side} one begins with ${wanted || 'no scheme'}, the received one with ${scheme || 'no scheme'}.`,
  })),
  differs('user', () => ({ kind: 'user', text: 'A user name or password stands before the host.' })),
  differs('host', ({ host: wanted }, { host }, side) => hostFault(wanted, host, side)),
  differs('port', ({ port: wanted }, { port }, side) => ({
    kind: 'port',
    text: `The ${side} one has ${portText(wanted)}, the received one ${portText(port)}.`,
  })),
  differs('path', ({ path: wanted }, { path }, side) => pathFault(wanted, path, side)),
  differs('query', ({ query: wanted }, { query }, side) => queryFault(wanted, query, side)),
  differs('fragment', () => ({
    kind: 'fragment',
    text: 'The received one has a fragment (#…); none can be registered.',
  })),
];

function portText(port: string): string {
  return port === '' ? 'no port' : `the port ${port.slice(1)}`;
}

const LOCAL = ['localhost', '127.0.0.1', '[::1]'];

function hostFault(wanted: string, received: string, side: Side): Fault {
  if (wanted.toLowerCase() === received.toLowerCase()) {
    return { kind: 'case', text: `The host is written ${received}, and ${side} as ${wanted}.` };
  }
  const isLocal = LOCAL.includes(wanted) && LOCAL.includes(received);
  const also = isLocal ? ' They mean the same machine, and are compared as text.' : '';
  return { kind: 'host', text: `The ${side} host is ${wanted}, the received one ${received}.${also}` };
}

function pathFault(wanted: string, received: string, side: Side): Fault {
  if (received === `${wanted}/`) {
    return { kind: 'trailing-slash', text: `The received one ends with a slash, the ${side} one does not.` };
  }
  if (wanted === `${received}/`) {
    return { kind: 'trailing-slash', text: `The ${side} one ends with a slash, the received one does not.` };
  }
  if (wanted.toLowerCase() === received.toLowerCase()) {
    return { kind: 'case', text: `The path is written ${received}, and ${side} as ${wanted}.` };
  }
  if (decoded(wanted) === decoded(received)) {
    return { kind: 'encoding', text: `The same path is encoded as ${received}, and ${side} as ${wanted}.` };
  }
  if (received.replace(/\/{2,}/g, '/') === wanted) {
    return { kind: 'extra-slash', text: 'The received one has an extra slash in its path.' };
  }
  if (/(^|\/)\.{1,2}(\/|$)/.test(received)) {
    return { kind: 'dot-segments', text: 'The path of the received one has dot segments, which are not resolved.' };
  }
  return {
    kind: 'path',
    text: `The ${side} path is ${wanted || 'empty'}, the received one ${received || 'empty'}.`,
  };
}

function queryFault(wanted: string, received: string, side: Side): Fault {
  if (wanted === '') {
    const names = [...new URLSearchParams(received).keys()].join(', ');
    return {
      kind: 'extra-query',
      text: `The received one has a query (${names || received}), the ${side} one has none.`,
    };
  }
  if (received === '') {
    return {
      kind: 'missing-query',
      text: `The ${side} one has the query ${wanted}, the received one has none.`,
    };
  }
  return { kind: 'query', text: `The ${side} query is ${wanted}, the received one ${received}.` };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function faultsBetween(wanted: string, received: string, side: Side): Fault[] {
  if (received.trim() === wanted) {
    return [{ kind: 'white-space', text: 'The received one begins or ends with white space.' }];
  }
  if (/^[a-z][a-z0-9+.-]*%3a/i.test(received) && decoded(received) === wanted) {
    return [{ kind: 'encoding', text: 'The received one is still percent-encoded: it was encoded twice.' }];
  }
  const parts = [partsOf(wanted), partsOf(received)] as const;
  return COMPARISONS.flatMap(compare => compare(...parts, side) ?? []);
}

/** What makes `received` another URI than `wanted`. */
export function uriDifference(wanted: string, received: string, side: Side = 'registered'): Difference {
  const faults = faultsBetween(wanted, received, side);
  const shared = [...received].findIndex((character, at) => character !== wanted[at]);
  return {
    kinds: faults.map(({ kind }) => kind),
    text: faults.map(({ text }) => text).join(' '),
    expected: wanted,
    received,
    at: shared < 0 ? received.length : shared,
  };
}

/** The one that `received` was most probably meant to be: few parts differ, the host least of all. */
export function closestUri(registered: readonly string[], received: string): string | undefined {
  const scored = registered.map(uri => ({ uri, score: scoreOf(uri, received) }));
  return scored.sort((a, b) => a.score - b.score)[0]?.uri;
}

function scoreOf(registered: string, received: string): number {
  const kinds = faultsBetween(registered, received, 'registered').map(({ kind }) => kind);
  return kinds.length * 1000 + (kinds.includes('host') ? 5000 : 0) + editDistance(registered, received);
}

/** Whether both are of one site: same scheme, host and port. */
export function isSameOrigin(a: string, b: string): boolean {
  const [one, other] = [partsOf(a), partsOf(b)];
  const isSame = (part: keyof Parts) => one[part].toLowerCase() === other[part].toLowerCase();
  return one.host !== '' && isSame('scheme') && isSame('host') && isSame('port') && isSame('user');
}
