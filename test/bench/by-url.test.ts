import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { checkAnswers } from '../../bench/check.ts';
import { endLoad, load } from '../../bench/load/load.ts';
import { readPeer, targetByUrl } from '../../bench/servers/by-url.ts';
import { PASSWORD } from '../build/fixture.ts';
import { listen } from '../build/listen.ts';
import { suitePart } from '../build/suite-part.ts';
import { suiteServer } from '../build/test-server.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';

describe('peers of the benchmark that run elsewhere', () => {
  after(endLoad);
  const folder = suitePart(temporaryFolder);
  const testServer = suiteServer();

  it('are driven by what their discovery document says, with the tokens of a user', async () => {
    const url = testServer.at().replace('http://', 'http://web:web-secret-1@');
    const target = await targetByUrl(`own=${url}?user=alice:${encodeURIComponent(PASSWORD)}`, folder.file('.'), 8);
    assert.deepEqual(Object.keys(target.requests).sort(), ['introspection', 'password', 'refresh', 'userinfo']);
    await checkAnswers(target);
    for (const work of ['introspection', 'userinfo', 'refresh', 'password'] as const) {
      const { requests } = await load(target, work, { connections: 4, seconds: 30, most: 8 });
      assert.equal(requests, 8, work);
    }
  });

  it('introspect at the admin port and without credentials, as Ory Hydra does', async t => {
    const seen: string[] = [];
    const server = await listen((incoming, outgoing) => {
      seen.push(`${incoming.method} ${incoming.url} ${incoming.headers.authorization ?? 'nobody'}`);
      const base = server.origin;
      const document = { token_endpoint: `${base}/oauth2/token`, jwks_uri: `${base}/.well-known/jwks.json` };
      outgoing.setHeader('content-type', 'application/json');
      const answers: Record<string, object> = {
        '/.well-known/openid-configuration': document,
        '/oauth2/token': { access_token: 'ory_at_1' },
        '/admin/oauth2/introspect': { active: true },
      };
      outgoing.end(JSON.stringify(answers[incoming.url ?? '']));
    });
    t.after(server.close);
    const target = await targetByUrl(
      `hydra=http://id:secret@127.0.0.1:${server.port}?admin=${server.origin}/`,
      folder.file('.'),
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
