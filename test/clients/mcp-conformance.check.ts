import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { freePort } from '../../scripts/free-port.ts';
import { aPublicClient } from '../build/fixture.ts';
import { allowed, logIn } from '../build/people.ts';
import { suitePart } from '../build/suite-part.ts';
import { suiteServer } from '../build/test-server.ts';
import { Visitor } from '../build/visitor.ts';

const RESOURCE = 'http://localhost:4000/mcp';

/** MCP's own tests of authorization servers (`npm run test:clients` installs them). */
describe('@modelcontextprotocol/conformance, authorization', () => {
  const program = process.env.CLIENTS_CONFORMANCE;
  const at = suitePart(async () => ({ port: await freePort() }));
  const server = suiteServer(() => ({
    hostname: 'localhost',
    shop: {
      client_id_metadata: 'any',
      dynamic_registration: 'open',
      apis: [{ identifier: RESOURCE, name: 'Tools', scopes: { 'tools:call': 'Call tools' } }],
      clients: [
        aPublicClient({
          client_id: 'conformance',
          redirect_uris: [`http://127.0.0.1:${at.port}/callback`],
          scope: 'openid tools:call',
        }),
      ],
    },
  }));

  /** Opens the address that the program prints, as a person would. */
  async function open(address: string): Promise<void> {
    const visitor = new Visitor(server.base);
    const seen = await allowed(visitor, await logIn(visitor, await visitor.follow(address)));
    assert(seen.location, seen.text);
    await fetch(seen.location);
  }

  async function run(version: string): Promise<{ readonly code: number; readonly printed: string }> {
    assert(program, 'CLIENTS_CONFORMANCE names the program');
    const client = ['--client-id', 'conformance', '--resource', RESOURCE, '--port', String(at.port)];
    const child = spawn(process.execPath, [
      ...[program, 'authorization', '--url', server.at(), ...client],
      ...['--spec-version', version],
    ]);
    let printed = '';
    let opened: Promise<void> | undefined;
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', part => {
        printed += part;
        const address = /http:\/\/localhost:\d+\/api\/v1\/authorize\/\S+\/auth\?\S+(?=\s)/.exec(printed)?.[0];
        if (address !== undefined) opened ??= open(address);
      });
    }
    const [code] = await once(child, 'close');
    await opened;
    return { code, printed };
  }

  for (const version of ['2025-11-25', '2026-07-28']) {
    it(`finds nothing wrong with metadata and code grant of ${version}`, async () => {
      const { code, printed } = await run(version);
      assert.equal(code, 0, printed);
      assert.match(printed, /authorization-server-metadata-endpoint: 2 passed, 0 failed/);
      assert.match(printed, /authorization-code-grant: 1 passed, 0 failed/);
    });
  }
});
