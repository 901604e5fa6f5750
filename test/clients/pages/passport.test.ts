import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { wander } from '../wander.ts';
import { logInAt, webAppOf } from './web-app.ts';

describe('docs/clients/passport.md', () => {
  const app = webAppOf('passport');

  it('logs alice in, shows her profile, and logs her out of both', async () => {
    const { visitor, seen } = await logInAt(app, '/login');
    const { id, displayName, username, emails } = JSON.parse(seen.text);
    assert.deepEqual([displayName, username], ['Alice Example', 'alice']);
    assert.deepEqual(emails, [{ value: 'alice@example.com' }]);
    assert.match(id, /./);

    const left = await wander(visitor, `${app.origin}/logout`);
    assert.deepEqual([left.url, left.text], [`${app.origin}/`, 'null']);
    const again = await wander(visitor, `${app.origin}/login`);
    assert.match(again.text, /name="password"/, 'the server asks again');
  });
});
