import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, describe, it } from 'node:test';
import { basic, get, token } from '../../build/client.ts';
import { gatehouse } from '../../build/command.ts';
import { suiteServer } from '../../build/test-server.ts';
import { authorizationUrl } from '../../build/visitor.ts';

describe('gatehouse explain', () => {
  let id: string;
  const server = suiteServer();
  before(async () => {
    const refused = await get(authorizationUrl(server, { redirect_uri: 'https://client.example/cb/' }));
    id = refused.headers.get('x-request-id') ?? '';
    await server.services.refusals.flush();
  });

  it('prints what docs/explain.md shows', async () => {
    const { code, out, err } = await gatehouse(server, 'explain', id);
    assert.equal(code, 0, err);
    const [, block = ''] =
      /```text\n\$ gatehouse explain \S+\n([\s\S]*?)```/.exec(readFileSync('docs/explain.md', 'utf8')) ?? [];
    const anonymous = (text: string) =>
      text.replace(/^Request \S+ was refused at \S+Z:/, 'Request ID was refused at TIME:');
    assert.equal(anonymous(out), anonymous(block));
    assert(out.startsWith(`Request ${id} was refused at `));
  });

  it('--json prints one document', async () => {
    const { code, out } = await gatehouse(server, 'explain', '--json', id);
    assert.equal(code, 0);
    const explained = JSON.parse(out);
    assert.deepEqual([explained.request_id, explained.difference.kinds], [id, ['trailing-slash']]);
  });

  it('offers a command that makes the same request work, and another that makes a new secret', async () => {
    const wrong = await token(server, 'x=y', { auth: basic('web', 'not-the-secret') });
    await server.services.refusals.flush();
    const commandFor = async (request: string) => {
      const { call } = JSON.parse((await gatehouse(server, 'explain', '--json', request)).out);
      return call.command.split(' ').slice(1);
    };
    const made = await gatehouse(server, ...(await commandFor(wrong.headers.get('x-request-id') ?? '')));
    assert.equal(made.code, 0, made.err);
    const added = await gatehouse(server, ...(await commandFor(id)));
    assert.equal(added.code, 0, added.err);
    await server.services.registry.refresh();
    const again = await get(authorizationUrl(server, { redirect_uri: 'https://client.example/cb/' }));
    assert.equal(again.status, 302);
    assert.match((await gatehouse(server, 'explain', id)).out, /It has been registered since/);
  });

  it('exits 65 for a request that is unknown, and says why that can be', async () => {
    const { code, out, err } = await gatehouse(server, 'explain', 'nobody-1');
    assert.deepEqual([code, out], [65, '']);
    assert.match(err, /"nobody-1".*older than seven days.*too many in its minute.*another database/s);
  });

  for (const args of [[], ['a', 'b'], ['a', '--colour']]) {
    it(`exits 64 for ${JSON.stringify(args)}`, async () => {
      const { code, err } = await gatehouse(server, 'explain', ...args);
      assert.equal(code, 64);
      assert.match(err, /Usage: gatehouse explain REQUEST_ID/);
    });
  }

  it('is in the list of commands, and its help has an example', async () => {
    assert.match((await gatehouse(server, '--help')).out, /^ {2}explain +tell why a request was refused$/m);
    assert.match((await gatehouse(server, 'explain', '--help')).out, /Example: gatehouse explain \S+/);
  });
});
