import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { logInAt, webAppOf } from './web-app.ts';

describe('docs/clients/oauth4webapi.md', () => {
  const app = webAppOf('oauth4webapi');

  it('logs alice in and shows her claims', async () => {
    const { seen } = await logInAt(app, '/');
    const { claims, userinfo } = JSON.parse(seen.text);
    assert.deepEqual([claims.name, claims.email], ['Alice Example', 'alice@example.com']);
    assert.deepEqual([userinfo.sub, userinfo.preferred_username], [claims.sub, 'alice']);
  });
});
