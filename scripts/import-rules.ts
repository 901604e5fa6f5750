/** Which file may import which (docs/architecture.md): down this list, or within a line. `npm run imports` (check-imports.ts) checks it. */

/** A line is a room (a folder of src/), or kinds of files wherever they are: the kind is the last word of a name before `.ts`. */
export const LAYERS: readonly Layer[] = [
  { room: 'assembly', kinds: ['capability'], files: ['main.ts', 'gatehouse.ts', 'capability.ts', 'capabilities.ts'] },
  { room: 'operators', kinds: ['operations', 'console', 'command'] },
  { room: 'oauth' },
  { room: 'people' },
  { room: 'directory' },
  { room: 'notify' },
  { room: 'audit' },
  { kinds: ['fields'] },
  { kinds: ['store', 'queries', 'sqlite', 'postgres', 'citus'] },
  { room: 'platform' },
  // Pure: no clock, no randomness, no input or output.
  { kinds: ['rules', 'failures', 'events'], foreign: ['node:crypto', 'node:net'] },
];

export interface Layer {
  readonly room?: string;
  readonly kinds?: readonly string[];
  /** At the root of src/. */
  readonly files?: readonly string[];
  /** The only modules of others that they may import. */
  readonly foreign?: readonly string[];
}

/** What everybody may name and nobody may call: these import nothing but types, and only types are imported from them. */
export const TYPES: readonly string[] = ['services.ts', 'store.ts'];

/** Packages that these places alone may use, so that each can be replaced there. */
export const KEPT: Readonly<Record<string, RegExp>> = {
  jose: /^oauth\/(signing-keys|client-authentication|dpop|encryption)\//,
  '@node-rs/bcrypt': /^people\/password\//,
  '@simplewebauthn/server': /^people\/passkey\//,
  'node:sqlite': /^platform\/store\/sqlite\/|\bsqlite\.ts$/,
  pg: /^platform\/store\/postgres\/|\b(postgres|citus)\.ts$/,
  cookie: /^platform\/http\/cookies\.ts$/,
  nodemailer: /^notify\/mail\//,
  yaml: /^operators\/apply\//,
  oauth4webapi: /^people\/openid-connect\//,
  qr: /^platform\/ui\//,
};

/** The files that open connections to others, so that each goes through its guard. The database has a driver of its own
 * (pg); the client of the admin API connects to the server that its user names, and runs in no server. */
export const OUTBOUND =
  /^(platform\/outbound\/|notify\/mail\/transport\.ts$|people\/password\/range\.ts$|operators\/client\/connection\.ts$)/;
/** Of what imports nothing but types: an import of its values loads the client of `fetch` into every process. These take it without one. */
export const WITHOUT_IMPORT = 'node:http';
export const TAKING_BUILTINS = /^platform\/(http\/http-server|outbound\/http-client)\.ts$/;
/** What opens connections, of modules that have other uses too. */
export const OUTGOING: Readonly<Record<string, readonly string[]>> = {
  'node:net': ['connect', 'createConnection', 'Socket', 'Stream'],
  // TLSSocket wraps a connection that is there.
  'node:tls': ['connect'],
};
export const OUTGOING_MODULES = /^(node:(https|http2|dns|dns\/promises|dgram)|undici)$/;
export const OUTGOING_GLOBAL = /(?<![.\w])(fetch|WebSocket|EventSource)\(/;
