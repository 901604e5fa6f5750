import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formWith, Visitor } from '../../build/visitor.ts';
import { enterPassword } from './log-in.ts';
import { webAppOf } from './web-app.ts';

describe('docs/clients/auth-js.md', () => {
  const app = webAppOf('auth-js');

  it('logs alice in and keeps her name, address and picture', async () => {
    const { origin, setting, printed } = app;
    const visitor = new Visitor(setting.server.base);
    const page = await visitor.go(`${origin}/auth/signin`);
    const seen = await enterPassword(visitor, await visitor.send(formWith(page, 'csrfToken')));
    assert.equal(seen.url, `${origin}/`, printed());
    const { user } = JSON.parse(seen.text);
    assert.deepEqual(user, {
      name: 'Alice Example',
      email: 'alice@example.com',
      image: 'https://example.com/alice.png',
    });
  });
});
