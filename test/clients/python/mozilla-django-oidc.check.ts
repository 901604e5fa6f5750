import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { logInAt, webAppOf } from '../pages/web-app.ts';
import { startDjango } from './start.ts';

describe('docs/clients/mozilla-django-oidc.md', () => {
  const app = webAppOf('mozilla-django-oidc', startDjango);

  it('logs alice in and makes a Django user of her claims', async () => {
    const { seen } = await logInAt(app, '/');
    const alice = { username: 'alice', email: 'alice@example.com', name: 'Alice Example' };
    assert.deepEqual(JSON.parse(seen.text), alice);
  });
});
