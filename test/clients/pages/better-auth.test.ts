import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { logInAt, webAppOf } from './web-app.ts';

describe('docs/clients/better-auth.md', () => {
  const app = webAppOf('better-auth');

  it('logs alice in, and the session has her name and verified address', async () => {
    const { seen, visitor } = await logInAt(app, '/login');
    assert.equal(seen.url, `${app.origin}/`);
    const { name, email, emailVerified } = JSON.parse(seen.text);
    assert.deepEqual([name, email, emailVerified], ['Alice Example', 'alice@example.com', true]);
    assert.equal((await visitor.go(`${app.origin}/`)).text, seen.text);
  });

  it('shows nobody to a browser without a session', async () => {
    assert.equal(await (await fetch(app.origin)).text(), 'null');
  });
});
