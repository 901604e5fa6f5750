import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { breaches } from '../../scripts/check-imports.ts';

const file = (path: string, ...imports: string[]) => ({
  path,
  text: imports.map(name => `import { x } from '${name}';`).join('\n'),
});

describe('import rules (CONTRIBUTING.md)', () => {
  const cases: [string, ReturnType<typeof file>[], RegExp][] = [
    ['the protocol does no I/O', [file('protocol/scope.ts', 'node:fs')], /may not import node:fs/],
    [
      'the protocol knows no store',
      [file('protocol/scope.ts', '../store/store.ts')],
      /may not import store\/store\.ts/,
    ],
    ['endpoints do not know HTTP', [file('oauth2/token.ts', '../http/server.ts')], /may not import http\/server\.ts/],
    [
      'endpoints do not know a store',
      [file('oauth2/token.ts', '../store/sqlite/rows.ts')],
      /may not import store\/sqlite/,
    ],
    [
      'endpoints do not know the sign-in pages',
      [file('oauth2/auth.ts', '../sign-in/steps.ts')],
      /may not import sign-in\/steps\.ts/,
    ],
    [
      'sign-in and account pages do not know each other',
      [file('sign-in/steps.ts', '../account/account.ts'), file('account/account.ts', '../sign-in/session.ts')],
      /may not import account\/account\.ts\n.*may not import sign-in\/session\.ts/,
    ],
    ['the decision about signing in is pure', [file('sign-in/next-step.ts', '../deps.ts')], /may not import deps\.ts/],
    ['one keeper for JOSE', [file('oauth2/token.ts', 'jose')], /only keys\/ imports jose/],
    [
      'type imports count',
      [{ path: 'protocol/a.ts', text: "import type { X } from '../deps.ts';" }],
      /may not import deps\.ts/,
    ],
    [
      're-exports count',
      [{ path: 'protocol/a.ts', text: "export { x } from '../deps.ts';" }],
      /may not import deps\.ts/,
    ],
    [
      'no circle',
      [file('keys/a.ts', './b.ts'), file('keys/b.ts', './a.ts')],
      /circle: keys\/a\.ts → keys\/b\.ts → keys\/a\.ts/,
    ],
    ['no junk drawer', [file('keys/utils.ts')], /name it after what it does/],
    ['no barrel', [file('keys/index.ts')], /no barrel/],
    ['nothing imports main', [file('cli/serve.ts', '../main.ts')], /nothing imports main\.ts/],
    ...["import { request } from 'node:http'", "import { createServer, get as fetchIt } from 'node:http'"].map(
      (text): [string, ReturnType<typeof file>[], RegExp] => [
        `connections to others are opened in one room: ${text}`,
        [{ path: 'jobs/deliveries.ts', text: `${text};` }],
        /only outbound\/ opens connections to others: \w+ of node:http/,
      ],
    ),
    ...["import * as net from 'node:net';", "import net from 'node:net';"].map(
      (text): [string, ReturnType<typeof file>[], RegExp] => [
        `nor by all of a module: ${text}`,
        [{ path: 'cli/serve.ts', text }],
        /only outbound\/ opens connections to others: .* of node:net/,
      ],
    ),
    ...['node:https', 'node:http2', 'node:tls', 'node:dns', 'node:dns/promises', 'node:dgram', 'undici'].map(
      (name): [string, ReturnType<typeof file>[], RegExp] => [
        `nor with ${name}`,
        [file('jobs/deliveries.ts', name)],
        /only outbound\/ opens connections to others/,
      ],
    ),
    [
      'nor by a module that is loaded when it is needed',
      [{ path: 'jobs/deliveries.ts', text: "const { connect } = await import('node:net');" }],
      /only outbound\/ opens connections to others: all of node:net/,
    ],
    [
      'nor with the global fetch',
      [{ path: 'jobs/deliveries.ts', text: 'const answer = await fetch(url);' }],
      /only outbound\/ opens connections to others: fetch/,
    ],
    ['every room has a rule', [file('attic/a.ts')], /no rule/],
  ];
  for (const [name, sources, expected] of cases) {
    it(name, () => assert.match(breaches(sources).join('\n'), expected));
  }

  it('allows what the map allows', () => {
    assert.deepEqual(breaches([file('oauth2/token.ts', '../protocol/params.ts', '../services.ts', './issue.ts')]), []);
    const server =
      "import { createServer, type ClientRequest } from 'node:http';\nimport type { Socket } from 'node:net';";
    assert.deepEqual(breaches([{ path: 'http/server.ts', text: server }]), []);
    const client = "import { request } from 'node:http';\nimport { lookup } from 'node:dns';";
    assert.deepEqual(breaches([{ path: 'outbound/request.ts', text: client }]), []);
  });
});
