import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { breaches } from '../../scripts/check-imports.ts';

const file = (path: string, ...imports: string[]) => ({
  path,
  text: imports.map(name => `import { x } from '${name}';`).join('\n'),
});

describe('import rules (CONTRIBUTING.md)', () => {
  const cases: [string, ReturnType<typeof file>[], RegExp][] = [
    ['rules do no input or output', [file('oauth/token/scope.rules.ts', 'node:fs')], /may not import node:fs/],
    [
      'rules know nothing but rules',
      [file('oauth/token/scope.rules.ts', '../../platform/http/message.ts')],
      /may not import platform\/http\/message\.ts/,
    ],
    [
      'imports go down the rooms',
      [file('people/sign-in/progress.ts', '../../oauth/token/issue.ts')],
      /may not import oauth\/token\/issue\.ts, which is above it/,
    ],
    [
      'a page of the console is of the operators, wherever it is',
      [file('notify/webhooks/job.ts', './webhook.console.ts')],
      /may not import notify\/webhooks\/webhook\.console\.ts/,
    ],
    [
      'statements know no handler',
      [file('oauth/refresh/postgres.ts', './grant.ts')],
      /may not import oauth\/refresh\/grant\.ts/,
    ],
    [
      'the platform knows no capability',
      [file('platform/http/send.ts', '../../oauth/refresh/store.ts')],
      /may not import oauth\/refresh\/store\.ts/,
    ],
    [
      'nothing knows what puts it together',
      [file('operators/cli/perform.ts', '../../assembly/services.ts')],
      /may not import assembly\/services\.ts/,
    ],
    [
      'of the services, only their types are known',
      [file('oauth/token/endpoint.ts', '../../services.ts')],
      /may import nothing but types of services\.ts/,
    ],
    [
      'and they know types alone',
      [file('services.ts', './oauth/token/issue.ts')],
      /may import nothing but types of oauth\/token\/issue\.ts/,
    ],
    ['one keeper for JOSE', [file('oauth/token/endpoint.ts', 'jose')], /only .*signing-keys.* imports jose/],
    [
      'type imports count',
      [{ path: 'audit/a.ts', text: "import type { X } from '../people/b.ts';" }],
      /may not import people\/b\.ts/,
    ],
    [
      're-exports count',
      [{ path: 'audit/a.ts', text: "export { x } from '../people/b.ts';" }],
      /may not import people\/b\.ts/,
    ],
    [
      'no circle',
      [file('audit/a.ts', './b.ts'), file('audit/b.ts', './a.ts')],
      /circle: audit\/a\.ts → audit\/b\.ts → audit\/a\.ts/,
    ],
    ['no junk drawer', [file('audit/utils.ts')], /name it after what it does/],
    ['no barrel', [file('audit/index.ts')], /no barrel/],
    ['nothing imports main', [file('assembly/serve.ts', '../main.ts')], /nothing imports main\.ts/],
    ...["import { request } from 'node:http'", "import { createServer, get as fetchIt } from 'node:http'"].map(
      (text): [string, ReturnType<typeof file>[], RegExp] => [
        `connections to others are opened in one room: ${text}`,
        [{ path: 'notify/backchannel-logout/job.ts', text: `${text};` }],
        /may import nothing but types of node:http/,
      ],
    ),
    ...["import * as net from 'node:net';", "import net from 'node:net';"].map(
      (text): [string, ReturnType<typeof file>[], RegExp] => [
        `nor by all of a module: ${text}`,
        [{ path: 'assembly/serve.ts', text }],
        /only platform\/outbound\/ opens connections to others: .* of node:net/,
      ],
    ),
    ...['node:https', 'node:http2', 'node:dns', 'node:dns/promises', 'node:dgram', 'undici'].map(
      (name): [string, ReturnType<typeof file>[], RegExp] => [
        `nor with ${name}`,
        [file('notify/backchannel-logout/job.ts', name)],
        /only platform\/outbound\/ opens connections to others/,
      ],
    ),
    [
      'nor by a module that is loaded when it is needed',
      [{ path: 'notify/backchannel-logout/job.ts', text: "const { connect } = await import('node:net');" }],
      /only platform\/outbound\/ opens connections to others: all of node:net/,
    ],
    [
      'nor by a module that is taken without an import',
      [{ path: 'assembly/tls.ts', text: "const { request } = process.getBuiltinModule('node:http');" }],
      /only .*http-server.* takes a module of Node\.js without an import/,
    ],
    [
      'nor with TLS of its own making',
      [{ path: 'notify/backchannel-logout/job.ts', text: "import { connect } from 'node:tls';" }],
      /only platform\/outbound\/ opens connections to others: connect of node:tls/,
    ],
    [
      'nor with the global fetch',
      [{ path: 'notify/backchannel-logout/job.ts', text: 'const answer = await fetch(url);' }],
      /only platform\/outbound\/ opens connections to others: fetch/,
    ],
    ['every room has a rule', [file('attic/a.ts')], /no rule/],
  ];
  for (const [name, sources, expected] of cases) {
    it(name, () => assert.match(breaches(sources).join('\n'), expected));
  }

  it('allows what the map allows', () => {
    assert.deepEqual(
      breaches([file('oauth/token/endpoint.ts', '../../platform/http/params.rules.ts', './issue.ts')]),
      [],
    );
    const server = "import type { Server } from 'node:http';\nimport type { Socket } from 'node:net';";
    assert.deepEqual(breaches([{ path: 'assembly/server.ts', text: server }]), []);
    const client = "const { request } = process.getBuiltinModule('node:http');\nimport { lookup } from 'node:dns';";
    assert.deepEqual(breaches([{ path: 'platform/outbound/http-client.ts', text: client }]), []);
  });
});
