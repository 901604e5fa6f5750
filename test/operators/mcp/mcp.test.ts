import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';
import { get, post } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { anApplication, aUser } from '../../build/fixture.ts';
import { actForm, contentOf } from '../../build/in-console.ts';
import { anOperatorClient, anOperatorToken, ask } from '../../build/operator.ts';
import { allowed, logIn } from '../../build/people.ts';
import { suitePart } from '../../build/suite-part.ts';
import { suiteServer } from '../../build/test-server.ts';
import { Visitor } from '../../build/visitor.ts';

const REDIRECT = 'http://localhost/callback';

describe('POST /mcp, the admin API for assistants, with the official SDK', () => {
  const clock = fixedClock();
  const server = suiteServer({
    clock,
    applications: [anApplication(), anApplication({ code: 'bank' })],
    users: [aUser(), aUser({ username: 'bob', email: 'bob@example.com', phone_number: '+8613800000002' })],
  });
  let resource: string;
  const owner = suitePart(() => anOperatorClient(server));
  before(async () => {
    resource = `${server.base}/mcp`;
    assert.equal((await owner.ask('POST', '/operators', { username: 'alice', role: 'owner' })).status, 201);
    const client = {
      client_id: 'assistant',
      preset: 'native',
      redirect_uris: [REDIRECT],
      scope: 'openid mcp:read mcp:propose',
      apis: [resource],
    };
    const made = await owner.ask('POST', '/applications/gatehouse/clients', client);
    assert.equal(made.status, 201, made.text);
  });

  /** As a program on the machine of the operator does it: by the challenge, the metadata, a browser and a code. */
  async function connected(username = 'alice', proposes = false) {
    const kept: { tokens?: never; verifier?: string; discovery?: never; url?: URL } = {};
    const authProvider = {
      redirectUrl: REDIRECT,
      clientMetadata: { redirect_uris: [REDIRECT], token_endpoint_auth_method: 'none' },
      clientInformation: () => ({ client_id: 'assistant' }),
      state: () => 'state-1',
      tokens: () => kept.tokens,
      saveTokens: (tokens: unknown) => void Object.assign(kept, { tokens }),
      codeVerifier: () => kept.verifier ?? '',
      saveCodeVerifier: (verifier: string) => void Object.assign(kept, { verifier }),
      discoveryState: () => kept.discovery,
      saveDiscoveryState: (discovery: unknown) => void Object.assign(kept, { discovery }),
      redirectToAuthorization: (url: URL) => void Object.assign(kept, { url }),
    };
    const transport = () => new StreamableHTTPClientTransport(new URL(resource), { authProvider });
    const client = new Client({ name: 'test', version: '1' });
    const first = transport();
    await assert.rejects(client.connect(first), UnauthorizedError);
    const authorize = async (refused: ReturnType<typeof transport>) => {
      const visitor = new Visitor(server.base);
      const seen = await allowed(visitor, await logIn(visitor, await visitor.follow(String(kept.url)), username));
      assert(seen.location, seen.text);
      await refused.finishAuth(new URL(seen.location).searchParams as never);
    };
    await authorize(first);
    const second = transport();
    await client.connect(second);
    if (proposes) {
      // The first call that needs the scope leads to the authorization server once more.
      await assert.rejects(client.callTool({ name: 'describeAct', arguments: { operation: 'createUser' } }));
      assert.equal(kept.url?.searchParams.get('scope'), 'mcp:read mcp:propose');
      await authorize(second);
    }
    const { access_token } = kept.tokens as unknown as { access_token: string };
    return { client, token: access_token };
  }

  const subOfBob = async () => (await owner.ask('GET', '/users?login=bob')).json.items[0].sub;

  const textOf = ({ content }: { content?: unknown }) => (content as { text: string }[])[0]?.text ?? '';

  it('says where tokens come from (RFC 9728), and leads there from a request without one', async () => {
    const { json } = await get(`${server.base}/.well-known/oauth-protected-resource/mcp`);
    assert.equal(json.resource, resource);
    assert.deepEqual(json.authorization_servers, [server.at('gatehouse')]);
    const refused = await fetch(resource, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    assert.equal(refused.status, 401);
    const metadata = `${server.base}/.well-known/oauth-protected-resource/mcp`;
    assert(refused.headers.get('www-authenticate')?.includes(`resource_metadata="${metadata}"`));
  });

  it('signs in by the SDK, lists tools that read, and reads with the rights of the operator', async () => {
    const { client } = await connected();
    const { tools } = await client.listTools();
    const names = tools.map(({ name }) => name);
    for (const name of ['listUsers', 'getRefusal', 'diffFile', 'listEvents']) assert(names.includes(name), name);
    for (const name of ['createUser', 'applyFile', 'deleteUser', 'exportUser']) assert(!names.includes(name), name);
    const found = await client.callTool({ name: 'listUsers', arguments: { login: 'bob' } });
    assert.equal(JSON.parse(textOf(found)).items[0].email, 'bob@example.com');
    const shop = await client.callTool({ name: 'getApplication', arguments: { code: 'shop' } });
    assert.equal((shop.structuredContent as { code: string }).code, 'shop');
    const missing = await client.callTool({ name: 'getApplication', arguments: { code: 'nothing' } });
    assert.deepEqual([missing.isError, textOf(missing)], [true, 'There is no such application.']);
    await assert.rejects(client.callTool({ name: 'createUser', arguments: { body: { username: 'eve' } } }));
    await client.close();
  });

  it('explains a refused request, and says what a file would change without a change', async () => {
    const { client } = await connected();
    const refused = await get(`${server.at()}/auth?client_id=nobody`);
    const request_id = refused.headers.get('x-request-id') ?? '';
    const explained = await client.callTool({ name: 'getRefusal', arguments: { request_id } });
    assert.equal((explained.structuredContent as { request_id: string }).request_id, request_id);
    const file = { applications: [{ code: 'fresh', name: 'Fresh' }] };
    const diff = await client.callTool({ name: 'diffFile', arguments: { body: { file } } });
    assert.equal((diff.structuredContent as { changes: { action: string }[] }).changes[0]?.action, 'create');
    assert.equal(await server.services.store.findApplication('fresh'), undefined);
    const faulty = await client.callTool({ name: 'diffFile', arguments: { body: { file: { users: [{}] } } } });
    assert.equal(faulty.isError, true);
    await client.close();
  });

  it('proposes an act, which the operator approves in the console, once and in time', async () => {
    const { client } = await connected('alice', true);
    const described = await client.callTool({ name: 'describeAct', arguments: { operation: 'createUser' } });
    assert.match(textOf(described), /"username"/);
    const propose = async (username: string) => {
      const given = { operation: 'createUser', input: { body: { username } } };
      const { structuredContent } = await client.callTool({ name: 'proposeAct', arguments: given });
      return (structuredContent as { approval_url: string }).approval_url;
    };
    const address = await propose('mia');
    assert.equal(await server.services.store.findAccount('mia'), undefined);
    const visitor = new Visitor(server.base);
    const seen = await logIn(visitor, await visitor.follow(address));
    assert.match(contentOf(seen), /POST \/users/);
    assert.match(contentOf(seen), /&quot;username&quot;: &quot;mia&quot;/);
    const form = actForm(seen, 'approve');
    const [first, second] = await Promise.all([visitor.send(form), visitor.send(form)]);
    assert.deepEqual([first?.status, second?.status].sort(), [200, 410]);
    assert.notEqual(await server.services.store.findAccount('mia'), undefined);
    assert.equal((await visitor.go(`${address.slice(0, -8)}AAAAAAAA`)).status, 410);
    const late = await propose('nina');
    clock.advance(16 * 60);
    assert.equal((await visitor.go(late)).status, 410);
    const nothing = await client
      .callTool({ name: 'proposeAct', arguments: { operation: 'listUsers' } })
      .catch(() => undefined);
    assert.notEqual(nothing?.isError, undefined);
    await client.close();
  });

  it('a proposal is for its operator alone, within the role, and needs its own scope', async () => {
    await owner.ask('POST', '/operators', { username: 'bob', role: 'auditor' });
    const auditor = await connected('bob', true);
    const given = { operation: 'createUser', input: { body: { username: 'eve' } } };
    assert.equal((await auditor.client.callTool({ name: 'proposeAct', arguments: given })).isError, true);
    const { client } = await connected('alice', true);
    const made = await client.callTool({ name: 'proposeAct', arguments: given });
    const visitor = new Visitor(server.base);
    const address = (made.structuredContent as { approval_url: string }).approval_url;
    assert.equal((await logIn(visitor, await visitor.follow(address), 'bob')).status, 410);
    await owner.ask('DELETE', `/operators/${await subOfBob()}`);
    for (const each of [auditor, { client }]) await each.client.close();
  });

  it('a limited operator reads the own applications alone, and a role that is taken away ends at once', async () => {
    await owner.ask('POST', '/operators', { username: 'bob', role: 'auditor', applications: ['shop'] });
    const { client } = await connected('bob');
    const names = (await client.listTools()).tools.map(({ name }) => name);
    assert(names.includes('listApplications') && !names.includes('listUsers'));
    const listed = await client.callTool({ name: 'listApplications', arguments: {} });
    const codes = JSON.parse(textOf(listed)).items.map(({ code }: { code: string }) => code);
    assert.deepEqual(codes, ['shop']);
    const other = await client.callTool({ name: 'getApplication', arguments: { code: 'bank' } });
    assert.equal(other.isError, true);
    await owner.ask('DELETE', `/operators/${await subOfBob()}`);
    await assert.rejects(client.listTools());
    await client.close();
  });

  it('its tokens are not good at the admin API, nor those of the admin API here, nor API keys', async () => {
    const { client, token } = await connected();
    await client.close();
    assert.equal((await ask(server.base, token, 'GET', '/users')).status, 401);
    const admin = await anOperatorToken(server, owner);
    for (const other of [admin, owner.key]) {
      const headers = { authorization: `Bearer ${other}`, 'content-type': 'application/json' };
      assert.equal((await fetch(resource, { method: 'POST', headers, body: '{}' })).status, 401);
    }
  });

  it('refuses what is no message, other methods, and pages of other sites', async () => {
    const { client, token } = await connected();
    await client.close();
    const send = (body: unknown, more = {}) =>
      fetch(resource, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...more },
        body: JSON.stringify(body),
      });
    assert.equal((await send([])).status, 400);
    assert.equal((await send({ jsonrpc: '2.0', method: 'notifications/initialized' })).status, 202);
    const answer = await send({ jsonrpc: '2.0', id: 1, method: 'resources/list' });
    const unknown = (await answer.json()) as { id: number; error: { code: number } };
    assert.deepEqual([unknown.id, unknown.error.code], [1, -32601]);
    assert.equal(
      (await send({ jsonrpc: '2.0', id: 1, method: 'ping' }, { origin: 'https://evil.example' })).status,
      403,
    );
    assert.equal((await get(resource)).status, 405);
    assert.equal((await post(resource, { a: 'b' })).status, 415);
  });
});
