import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { checkAnswers } from '../../bench/check.ts';
import { endLoad, load } from '../../bench/load/load.ts';
import { readPeer, targetByUrl } from '../../bench/servers/by-url.ts';
import { PASSWORD } from '../build/fixture.ts';
import { startTestServer, type TestServer } from '../build/test-server.ts';

describe('peers of the benchmark that run elsewhere', () => {
  let testServer: TestServer;
  let folder: string;
  before(async () => {
    testServer = await startTestServer();
    folder = mkdtempSync(join(tmpdir(), 'gatehouse-peers-'));
  });
  after(async () => {
    endLoad();
    await testServer.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('are driven by what their discovery document says, with the tokens of a user', async () => {
    const url = testServer.at().replace('http://', 'http://web:web-secret-1@');
    const target = await targetByUrl(`own=${url}?user=alice:${encodeURIComponent(PASSWORD)}`, folder, 8);
    assert.deepEqual(Object.keys(target.requests).sort(), ['introspection', 'password', 'refresh', 'userinfo']);
    await checkAnswers(target);
    for (const work of ['introspection', 'userinfo', 'refresh', 'password'] as const) {
      const { requests } = await load(target, work, { connections: 4, seconds: 30, most: 8 });
      assert.equal(requests, 8, work);
    }
  });

  it('introspect at the admin port and without credentials, as Ory Hydra does', async t => {
    const seen: string[] = [];
    const server = createServer((incoming, outgoing) => {
      seen.push(`${incoming.method} ${incoming.url} ${incoming.headers.authorization ?? 'nobody'}`);
      const { port } = server.address() as AddressInfo;
      const base = `http://127.0.0.1:${port}`;
      const document = { token_endpoint: `${base}/oauth2/token`, jwks_uri: `${base}/.well-known/jwks.json` };
      outgoing.setHeader('content-type', 'application/json');
      const answers: Record<string, object> = {
        '/.well-known/openid-configuration': document,
        '/oauth2/token': { access_token: 'ory_at_1' },
        '/admin/oauth2/introspect': { active: true },
      };
      outgoing.end(JSON.stringify(answers[incoming.url ?? '']));
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    t.after(() => server.close());
    const { port } = server.address() as AddressInfo;
    const target = await targetByUrl(
      `hydra=http://id:secret@127.0.0.1:${port}?admin=http://127.0.0.1:${port}/`,
      folder,
      8,
    );
    assert.deepEqual(Object.keys(target.requests).sort(), ['introspection']);
    seen.length = 0;
    await checkAnswers(target);
    assert.equal(seen[0], 'POST /admin/oauth2/introspect nobody');
  });

  it('need a client, and plain http', () => {
    const peer = readPeer('hydra=http://id:se:cret@127.0.0.1:4444/?admin=http://127.0.0.1:4445/&codes=c');
    assert.equal(peer.issuer, 'http://127.0.0.1:4444');
    assert.equal(Buffer.from(peer.basic.slice('Basic '.length), 'base64').toString(), 'id:se:cret');
    assert.equal(peer.admin, 'http://127.0.0.1:4445');
    assert.deepEqual(peer.files, { codes: 'c' });
    assert.throws(() => readPeer('hydra=https://id:secret@127.0.0.1'), /plain http/);
    assert.throws(() => readPeer('hydra=http://127.0.0.1'), /client is missing/);
  });
});
