import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { logInAt, webAppOf } from '../pages/web-app.ts';
import { wander } from '../wander.ts';
import { startFlask } from './start.ts';

describe('docs/clients/flask-authlib.md', () => {
  const app = webAppOf('flask-authlib', startFlask);

  it('logs alice in, shows her claims, and logs her out of both', async () => {
    const { visitor, seen } = await logInAt(app, '/login');
    const { name, email, preferred_username } = JSON.parse(seen.text);
    assert.deepEqual([name, email, preferred_username], ['Alice Example', 'alice@example.com', 'alice']);

    const left = await wander(visitor, `${app.origin}/logout`);
    assert.deepEqual([left.url, left.text.trim()], [`${app.origin}/`, '{}']);
    const again = await wander(visitor, `${app.origin}/login`);
    assert.match(again.text, /name="password"/, 'the server asks again');
  });
});
