import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formWith, Visitor } from '../../build/visitor.ts';
import { enterPassword } from '../pages/log-in.ts';
import { webAppOf } from '../pages/web-app.ts';
import { startDjango } from './start.ts';

describe('docs/clients/python-social-auth.md', () => {
  const app = webAppOf('python-social-auth', startDjango);

  it('logs alice in and makes a Django user of her claims', async () => {
    const { origin, setting, printed } = app;
    const visitor = new Visitor(setting.server.base);
    const page = await visitor.go(`${origin}/`);
    const form = formWith(page, 'csrfmiddlewaretoken');
    const seen = await enterPassword(visitor, await visitor.send(form, {}, { origin }));
    assert.equal(seen.status, 200, `${seen.text}\n${printed()}`);
    const alice = { username: 'alice', email: 'alice@example.com', name: 'Alice Example' };
    assert.deepEqual(JSON.parse(seen.text), alice);
  });
});
