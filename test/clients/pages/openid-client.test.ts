import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { wander } from '../wander.ts';
import { logInAt, webAppOf } from './web-app.ts';

describe('docs/clients/openid-client.md', () => {
  const app = webAppOf('openid-client');

  it('logs alice in, shows her claims, and logs her out of both', async () => {
    const { visitor, seen } = await logInAt(app, '/login');
    const { claims, userinfo } = JSON.parse(seen.text);
    assert.deepEqual([claims.name, claims.email], ['Alice Example', 'alice@example.com']);
    assert.deepEqual([userinfo.sub, userinfo.preferred_username], [claims.sub, 'alice']);

    const left = await wander(visitor, `${app.origin}/logout`);
    assert.deepEqual([left.url, left.text], [`${app.origin}/`, 'null']);
    const again = await wander(visitor, `${app.origin}/login`);
    assert.match(again.text, /name="password"/, 'the server asks again');
  });
});
