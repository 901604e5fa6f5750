import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encoded } from '../../build/assertion.ts';
import { basic, claimsOf, send, token } from '../../build/client.ts';
import { openDocumentServer } from '../../build/document-server.ts';
import { press } from '../../build/people.ts';
import { suitePart } from '../../build/suite-part.ts';
import { Visitor } from '../../build/visitor.ts';
import { withStatus } from '../../build/with-status.ts';
import { wander } from '../wander.ts';
import { enterPassword } from './log-in.ts';
import { openPage, type PageSetting } from './page.ts';
import { printedLine } from './printed-line.ts';
import { type Program, startNode } from './program.ts';

const PUBLISHED = 'https://assistant.example/client.json';
const PATH = '/client.json';
const SECRET = 'a-secret-of-the-worker';
const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const INITIALIZE = JSON.stringify({
  ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'worker', version: '1.0.0' } },
});

/** A program with a token of its own, another API, and another application that has an API of the same name. */
const withWorker = (text: string) =>
  text.replace(
    /^users:$/m,
    `      - { identifier: "http://localhost:4000/bills", name: Bills, scopes: { "bills:read": Bills }, access_token_format: jwt }
    clients:
      - { client_id: worker, client_secret: ${SECRET}, grant_types: [client_credentials], scope: orders:read bills:read }
  - code: bank
    name: Bank
    apis:
      - { identifier: "http://localhost:4000/mcp", name: Tools, scopes: { "orders:read": Orders }, access_token_format: jwt }
    clients:
      - { client_id: worker, client_secret: ${SECRET}, grant_types: [client_credentials], scope: orders:read }
users:`,
  );

describe('docs/clients/mcp.md', () => {
  const documents = suitePart(openDocumentServer);

  /** The page with its document published, until the tool has answered. */
  async function answerOfTool(change: (text: string) => string, consent: RegExp): Promise<string> {
    const open: (PageSetting | Program)[] = [];
    try {
      const setting = await openPage('mcp', {
        env: { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1' },
        change: text => change(text.replaceAll(PUBLISHED, documents.at(PATH))),
      });
      open.push(setting);
      documents.answer(PATH, { body: setting.block('json') });
      open.push(await startNode(setting.block('js'), setting.port));
      const client = await startNode(setting.block('javascript'));
      open.push(client);
      const visitor = new Visitor(setting.server.base);
      const page = await enterPassword(visitor, await printedLine(client, /^Open (\S+) in a browser\.$/m));
      assert.equal(new URL(page.url).pathname, '/consent', page.text);
      assert.match(page.text, consent);
      assert.match(page.text, /Shop tools: Read your orders/);
      const seen = await wander(visitor, await press(visitor, page, 'allow'));
      assert.equal(seen.text, 'You can close this window.', client.printed());
      return await printedLine(client, /^(Orders of .*)$/m);
    } finally {
      for (const each of open.reverse()) await each.close();
    }
  }

  it('a client that nobody has registered calls a tool: by its metadata document', async () => {
    const host = new URL(documents.at(PATH)).host;
    const text = await answerOfTool(unchanged => unchanged, new RegExp(`Assistant[\\s\\S]*published at ${host}`));
    assert.match(text, new RegExp(`^Orders of [\\w-]+, for ${documents.at(PATH)}$`));
    assert.equal(documents.count(PATH), 1);
  });

  it('and by dynamic registration, where that is on instead', async () => {
    const before = documents.count(PATH);
    const registering = (text: string) => text.replace('client_id_metadata: any', 'dynamic_registration: open');
    const text = await answerOfTool(registering, /Assistant[\s\S]*registered itself/);
    assert.match(text, /^Orders of [\w-]+, for [\w-]{22}$/);
    assert.equal(documents.count(PATH), before);
  });

  it('attack: the server refuses tokens for another API, of another application, and those that were changed', async () => {
    const setting = await openPage('mcp', { change: withWorker });
    let program: Program | undefined;
    try {
      program = await startNode(setting.block('js'), setting.port);
      const mcp = `${setting.origin}/mcp`;
      const tokenFor = async (resource: string, app = 'shop'): Promise<string> => {
        const sent = { grant_type: 'client_credentials', resource };
        const { json } = await withStatus(200, token(setting.server, sent, { auth: basic('worker', SECRET) }, app));
        return json.access_token;
      };
      const call = (accessToken: string) =>
        send(mcp, {
          method: 'POST',
          headers: { ...HEADERS, authorization: `Bearer ${accessToken}` },
          body: INITIALIZE,
        });

      const own = await tokenFor(mcp);
      await withStatus(200, call(own));
      const [head, claims, signature] = own.split('.');
      const wider = encoded({ ...claimsOf(own), sub: 'alice' });
      for (const [what, presented] of [
        ['another API of the application', await tokenFor(`${setting.origin}/bills`)],
        ['an API of the same name elsewhere', await tokenFor(mcp, 'bank')],
        ['other claims', [head, wider, signature].join('.')],
        ['no signature', [encoded({ alg: 'none', typ: 'at+jwt' }), claims, ''].join('.')],
      ] as const) {
        const { status, headers, text } = await call(presented);
        assert.equal(status, 401, `${what}: ${text}`);
        const challenge = headers.get('www-authenticate') ?? '';
        assert.match(challenge, /error="invalid_token"/, what);
        assert.match(
          challenge,
          /resource_metadata="/,
          'the client learns where to get a right one (RFC 9728 section 5.1)',
        );
      }
    } finally {
      await program?.close();
      await setting.close();
    }
  });
});
