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

type Compare = (registered: Parts, received: Parts) => Fault | undefined;

const differs = (part: keyof Parts, describe: (registered: Parts, received: Parts) => Fault): Compare => {
  return (registered, received) => (registered[part] === received[part] ? undefined : describe(registered, received));
};

/** In the order in which they are told. */
const COMPARISONS: readonly Compare[] = [
  differs('scheme', ({ scheme: wanted }, { scheme }) => ({
    kind: 'scheme',
    text: `The registered one begins with ${wanted || 'no scheme'}, the received one with ${scheme || 'no scheme'}.`,
  })),
  differs('user', () => ({ kind: 'user', text: 'A user name or password stands before the host.' })),
  differs('host', ({ host: wanted }, { host }) => hostFault(wanted, host)),
  differs('port', ({ port: wanted }, { port }) => ({
    kind: 'port',
    text: `The registered one has ${portText(wanted)}, the received one ${portText(port)}.`,
  })),
  differs('path', ({ path: wanted }, { path }) => pathFault(wanted, path)),
  differs('query', ({ query: wanted }, { query }) => queryFault(wanted, query)),
  differs('fragment', () => ({
    kind: 'fragment',
    text: 'The received one has a fragment (#…); none can be registered.',
  })),
];

function portText(port: string): string {
  return port === '' ? 'no port' : `the port ${port.slice(1)}`;
}

const LOCAL = ['localhost', '127.0.0.1', '[::1]'];

function hostFault(registered: string, received: string): Fault {
  if (registered.toLowerCase() === received.toLowerCase()) {
    return { kind: 'case', text: `The host is written ${received}, and registered as ${registered}.` };
  }
  const isLocal = LOCAL.includes(registered) && LOCAL.includes(received);
  const also = isLocal ? ' They mean the same machine, and are compared as text.' : '';
  return { kind: 'host', text: `The registered host is ${registered}, the received one ${received}.${also}` };
}

function pathFault(registered: string, received: string): Fault {
  if (received === `${registered}/`) {
    return { kind: 'trailing-slash', text: 'The received one ends with a slash, the registered one does not.' };
  }
  if (registered === `${received}/`) {
    return { kind: 'trailing-slash', text: 'The registered one ends with a slash, the received one does not.' };
  }
  if (registered.toLowerCase() === received.toLowerCase()) {
    return { kind: 'case', text: `The path is written ${received}, and registered as ${registered}.` };
  }
  if (decoded(registered) === decoded(received)) {
    return { kind: 'encoding', text: `The same path is encoded as ${received}, and registered as ${registered}.` };
  }
  if (received.replace(/\/{2,}/g, '/') === registered) {
    return { kind: 'extra-slash', text: 'The received one has an extra slash in its path.' };
  }
  if (/(^|\/)\.{1,2}(\/|$)/.test(received)) {
    return { kind: 'dot-segments', text: 'The path of the received one has dot segments, which are not resolved.' };
  }
  return {
    kind: 'path',
    text: `The registered path is ${registered || 'empty'}, the received one ${received || 'empty'}.`,
  };
}

function queryFault(registered: string, received: string): Fault {
  if (registered === '') {
    const names = [...new URLSearchParams(received).keys()].join(', ');
    return {
      kind: 'extra-query',
      text: `The received one has a query (${names || received}), the registered one has none.`,
    };
  }
  if (received === '') {
    return {
      kind: 'missing-query',
      text: `The registered one has the query ${registered}, the received one has none.`,
    };
  }
  return { kind: 'query', text: `The registered query is ${registered}, the received one ${received}.` };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function faultsBetween(registered: string, received: string): Fault[] {
  if (received.trim() === registered) {
    return [{ kind: 'white-space', text: 'The received one begins or ends with white space.' }];
  }
  if (decoded(received) === registered) {
    return [{ kind: 'encoding', text: 'The received one is still percent-encoded: it was encoded twice.' }];
  }
  const [wanted, came] = [partsOf(registered), partsOf(received)];
  return COMPARISONS.flatMap(compare => compare(wanted, came) ?? []);
}

/** What makes `received` another URI than `registered`. */
export function uriDifference(registered: string, received: string): Difference {
  const faults = faultsBetween(registered, received);
  const shared = [...received].findIndex((character, at) => character !== registered[at]);
  return {
    kinds: faults.map(({ kind }) => kind),
    text: faults.map(({ text }) => text).join(' '),
    expected: registered,
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
  const kinds = faultsBetween(registered, received).map(({ kind }) => kind);
  return kinds.length * 1000 + (kinds.includes('host') ? 5000 : 0) + editDistance(registered, received);
}

/** Whether both are of one site: same scheme, host and port. */
export function isSameOrigin(a: string, b: string): boolean {
  const [one, other] = [partsOf(a), partsOf(b)];
  const isSame = (part: keyof Parts) => one[part].toLowerCase() === other[part].toLowerCase();
  return one.host !== '' && isSame('scheme') && isSame('host') && isSame('port') && isSame('user');
}
