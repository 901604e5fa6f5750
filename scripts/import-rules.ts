/** Which folder may import which (CONTRIBUTING.md): one direction. `npm run imports` (check-imports.ts) checks it. */

/** Files in src/ that are no room: plain types and small services that any room above the protocol may use. */
const SHARED = [
  'message.ts',
  'published.ts',
  'deps.ts',
  'credentials.ts',
  'config.ts',
  'database-address.ts',
  'mail-settings.ts',
  'cookies.ts',
  'bounded-cache.ts',
  'network-address.ts',
  'attempts.ts',
  'throttle.ts',
  'release.ts',
  'observe/log.ts',
  'observe/instruments.ts',
];
/** What the store promises, a file for each area. */
const CONTRACT = [
  'store/store.ts',
  'store/account-deletions.ts',
  'store/faults.ts',
  'store/applications.ts',
  'store/provisioning.ts',
  'store/signing-keys.ts',
  'store/users.ts',
  'store/credentials.ts',
  'store/second-factors.ts',
  'store/failed-attempts.ts',
  'store/trusted-browsers.ts',
  'store/passkeys.ts',
  'store/sessions.ts',
  'store/consents.ts',
  'store/codes.ts',
  'store/tokens.ts',
  'store/token-exchanges.ts',
  'store/refresh-tokens.ts',
  'store/once.ts',
  'store/queue.ts',
  'store/mails.ts',
  'store/waiting-revocations.ts',
  'store/password-resets.ts',
  'store/pushed-requests.ts',
  'store/device-authorizations.ts',
  'store/client-registrations.ts',
  'store/email-confirmations.ts',
  'store/email-undos.ts',
  'store/events.ts',
  'store/refusals.ts',
  'store/statistics.ts',
  'store/status.ts',
  'store/webhooks.ts',
  'store/operators.ts',
  'store/idempotent-answers.ts',
];
const SERVICES = [...SHARED, 'services.ts', 'pending-request.ts', ...CONTRACT, 'store/within-time.ts'];
const STORE = [
  ...CONTRACT,
  'store/database-timeouts.ts',
  'store/within-time.ts',
  'store/rows.ts',
  'store/access-rows.ts',
  'store/retention.ts',
  'store/application-parts.ts',
  'store/transfer.ts',
  'store/event-cells.ts',
  'store/resource-cells.ts',
  'store/cold',
];
/**
 * The part of sign-in/ that lies below every room with pages: the pure decision, and the sealed progress in which the
 * authorization endpoint and /account hand a browser over to the sign-in pages. The steps are imported by http/ alone.
 */
const DECISION = ['sign-in/demands.ts', 'sign-in/current-user.ts', 'sign-in/strength.ts', 'sign-in/next-step.ts'];
const SIGN_IN = [...DECISION, 'sign-in/progress.ts'];
const BASE = ['protocol', 'keys', 'accounts', 'applications', 'events', 'pages', 'mail'];
/** What a login with a client needs of its application. */
const TRIED = ['oauth2/token.ts', 'oauth2/userinfo.ts', 'oauth2/token-lookup.ts'];

export interface Rule {
  /** Rooms and files of src/ that this one may import, itself aside. */
  readonly own: readonly string[];
  /** Packages and node: modules; undefined: any. */
  readonly foreign?: readonly string[];
}

/** The first entry whose name begins the path decides. */
export const rules: readonly (readonly [string, Rule])[] = [
  ['protocol/', { own: ['protocol'], foreign: ['node:crypto'] }],
  ['message.ts', { own: ['protocol'], foreign: [] }],
  ['published.ts', { own: ['message.ts'] }],
  ['bounded-cache.ts', { own: [], foreign: [] }],
  ['network-address.ts', { own: [], foreign: ['node:net'] }],
  ['token-buckets.ts', { own: [], foreign: [] }],
  ['attempts.ts', { own: [], foreign: [] }],
  [
    'throttle.ts',
    { own: ['attempts.ts', 'bounded-cache.ts', 'deps.ts', 'network-address.ts', 'token-buckets.ts'], foreign: [] },
  ],
  ['credentials.ts', { own: ['deps.ts'], foreign: ['node:crypto'] }],
  ['release.ts', { own: [], foreign: ['node:fs'] }],
  ['random.ts', { own: ['deps.ts'], foreign: ['node:crypto'] }],
  ['observe/', { own: ['observe', ...CONTRACT], foreign: ['node:perf_hooks'] }],
  ['mail-settings.ts', { own: [], foreign: ['node:path', 'node:url'] }],
  ['database-address.ts', { own: [], foreign: [] }],
  [
    'settings.ts',
    {
      own: [
        'database-address.ts',
        'mail-settings.ts',
        'network-address.ts',
        'observe/log.ts',
        'store/database-timeouts.ts',
      ],
      foreign: ['node:net'],
    },
  ],
  [
    'config.ts',
    {
      own: ['settings.ts', 'database-address.ts', 'mail-settings.ts', 'observe/log.ts', 'protocol/redirect-uri.ts'],
      foreign: ['node:net'],
    },
  ],
  ['cookies.ts', { own: ['message.ts'] }],
  ...CONTRACT.map((file): readonly [string, Rule] => [file, { own: ['protocol', ...CONTRACT], foreign: [] }]),
  ['store/access-rows.ts', { own: ['protocol', 'store/rows.ts', ...CONTRACT], foreign: [] }],
  ['store/rows.ts', { own: ['protocol', 'store/resource-cells.ts', ...CONTRACT], foreign: [] }],
  ['store/event-cells.ts', { own: ['protocol'], foreign: [] }],
  ['store/resource-cells.ts', { own: ['protocol', ...CONTRACT], foreign: [] }],
  ['store/retention.ts', { own: [], foreign: [] }],
  ['store/application-parts.ts', { own: ['credentials.ts'], foreign: [] }],
  ['store/database-timeouts.ts', { own: [], foreign: [] }],
  ['store/within-time.ts', { own: CONTRACT, foreign: [] }],
  ['store/until-available.ts', { own: [...CONTRACT, 'store/database-timeouts.ts'], foreign: ['node:timers/promises'] }],
  ['store/transfer.ts', { own: [], foreign: [] }],
  ['store/reconcile.ts', { own: ['store/transfer.ts'], foreign: [] }],
  ['store/copy.ts', { own: ['store/transfer.ts', 'store/reconcile.ts'], foreign: ['node:crypto'] }],
  [
    'store/cold/',
    {
      own: [
        'protocol',
        ...CONTRACT,
        'store/rows.ts',
        'store/application-parts.ts',
        'store/event-cells.ts',
        'store/resource-cells.ts',
        'store/cold',
      ],
      foreign: [],
    },
  ],
  ['store/sqlite/', { own: ['protocol', ...STORE, 'store/sqlite'] }],
  ['store/postgres/', { own: ['protocol', ...STORE, 'store/postgres'] }],
  ['store/open-store.ts', { own: ['config.ts', 'store'], foreign: [] }],
  ['store/open-transfer.ts', { own: ['database-address.ts', 'store'], foreign: ['node:fs'] }],
  ['deps.ts', { own: ['config.ts', 'observe', ...CONTRACT], foreign: [] }],
  ['keys/', { own: ['protocol', 'keys', ...CONTRACT, ...SHARED] }],
  ['accounts/', { own: ['protocol', 'accounts', ...CONTRACT, ...SHARED] }],
  ['applications/', { own: ['protocol', 'applications', ...CONTRACT, ...SHARED] }],
  ['events/', { own: ['protocol', 'keys', 'applications', 'events', ...CONTRACT, ...SHARED] }],
  ['pending-request.ts', { own: ['protocol', 'keys', ...SHARED] }],
  [
    'services.ts',
    {
      own: ['protocol', 'keys', 'accounts', 'applications', 'events', 'observe', 'pending-request.ts', ...SHARED],
      foreign: [],
    },
  ],
  ['pages/', { own: ['protocol', 'pages', 'applications', 'message.ts'] }],
  [
    'provisioning/',
    { own: ['protocol', 'keys', 'accounts', 'applications', 'events', 'provisioning', ...CONTRACT, ...SHARED] },
  ],
  ['sign-in/demands.ts', { own: ['protocol'], foreign: [] }],
  ['sign-in/current-user.ts', { own: ['protocol'], foreign: [] }],
  ['sign-in/strength.ts', { own: ['protocol', 'sign-in/demands.ts', 'sign-in/current-user.ts'], foreign: [] }],
  ['sign-in/next-step.ts', { own: ['protocol', ...DECISION], foreign: [] }],
  [
    'sign-in/progress.ts',
    {
      own: ['protocol', 'message.ts', 'pending-request.ts', ...DECISION],
      foreign: [],
    },
  ],
  [
    'admin/',
    {
      own: [...BASE, ...SERVICES, 'provisioning', 'oauth2/token-lookup.ts', 'oauth2/proof/presented-token.ts', 'admin'],
    },
  ],
  ['oauth2/', { own: [...BASE, ...SERVICES, ...SIGN_IN, 'oauth2'] }],
  ['sign-in/', { own: [...BASE, ...SERVICES, 'sign-in'] }],
  ['account/', { own: [...BASE, ...SERVICES, 'sign-in/demands.ts', 'sign-in/progress.ts', 'account'] }],
  // The console is a client of the endpoints where an operator tries a login.
  ['console/', { own: [...BASE, ...SERVICES, ...TRIED, 'sign-in/progress.ts', 'admin', 'console'] }],
  ['mail/', { own: ['protocol', 'keys', 'accounts', 'events', 'pages', 'mail', ...CONTRACT, ...SHARED] }],
  ['outbound/', { own: ['network-address.ts', 'mail-settings.ts', 'outbound'] }],
  ['jobs/', { own: [...BASE, ...SERVICES, 'outbound', 'jobs'] }],
  ['demo/', { own: [...BASE, ...SERVICES, 'oauth2', 'provisioning', 'demo'] }],
  ['front-door/', { own: [...BASE, ...SERVICES, 'demo/demo.ts', 'sign-in/progress.ts', 'admin', 'front-door'] }],
  [
    'http/',
    {
      own: [
        ...BASE,
        ...SERVICES,
        'observe',
        'oauth2',
        'sign-in',
        'account',
        'admin',
        'console',
        'demo/callback.ts',
        'front-door',
        'http',
      ],
    },
  ],
  [
    'app.ts',
    {
      own: [
        ...BASE,
        ...SERVICES,
        'observe',
        'random.ts',
        'outbound/document.ts',
        'outbound/password-range.ts',
        'store/open-store.ts',
      ],
    },
  ],
  [
    'cli/',
    {
      own: [
        ...BASE,
        ...SERVICES,
        'observe',
        'http/metrics-server.ts',
        'http/server.ts',
        'app.ts',
        'demo/seed.ts',
        'front-door',
        'compile-cache.ts',
        'admin',
        'jobs',
        'provisioning',
        'store/copy.ts',
        'store/database-timeouts.ts',
        'store/open-store.ts',
        'store/open-transfer.ts',
        'store/transfer.ts',
        'cli',
      ],
    },
  ],
  ['compile-cache.ts', { own: [] }],
  ['main.ts', { own: ['cli', 'compile-cache.ts'] }],
];

/** Packages that one room alone may use, so that each can be replaced in one place. */
export const KEPT: Readonly<Record<string, string>> = {
  jose: 'keys/',
  '@node-rs/bcrypt': 'accounts/',
  '@simplewebauthn/server': 'accounts/',
  'node:sqlite': 'store/sqlite/',
  pg: 'store/postgres/',
  cookie: 'cookies.ts',
  nodemailer: 'outbound/',
  yaml: 'provisioning/',
  qr: 'pages/',
};

/** The room that opens connections to others, so that each goes through its guard. The database has a driver of its own (pg). */
export const OUTBOUND = 'outbound/';
/** What opens connections, of modules that have other uses too. */
export const OUTGOING: Readonly<Record<string, readonly string[]>> = {
  'node:http': ['Agent', 'ClientRequest', 'get', 'globalAgent', 'request', 'WebSocket'],
  'node:net': ['connect', 'createConnection', 'Socket', 'Stream'],
};
export const OUTGOING_MODULES = [
  'node:https',
  'node:http2',
  'node:tls',
  'node:dns',
  'node:dns/promises',
  'node:dgram',
  'undici',
];
export const OUTGOING_GLOBAL = /(?<![.\w])(fetch|WebSocket|EventSource)\(/;
