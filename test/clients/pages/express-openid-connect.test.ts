import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { wander } from '../wander.ts';
import { logInAt, webAppOf } from './web-app.ts';

describe('docs/clients/express-openid-connect.md', () => {
  const app = webAppOf('express-openid-connect');

  it('logs alice in, shows her claims, and logs her out of both', async () => {
    const { visitor, seen } = await logInAt(app, '/');
    const { name, email, preferred_username } = JSON.parse(seen.text);
    assert.deepEqual([name, email, preferred_username], ['Alice Example', 'alice@example.com', 'alice']);

    const left = await wander(visitor, `${app.origin}/logout`);
    assert.match(left.text, /name="password"/, 'the application and the server both ask again');
  });
});
