import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { parseEnv } from 'node:util';
import { formWith, Visitor } from '../../build/visitor.ts';
import { enterPassword } from './log-in.ts';
import type { PageSetting } from './page.ts';
import { startProgram } from './program.ts';
import { webAppOf } from './web-app.ts';

const HOST = readFileSync(new URL('next-host.js', import.meta.url), 'utf8');

/** The route of the page, in a host that does for it what Next.js does. */
const start = ({ block, port }: PageSetting) =>
  startProgram(
    {
      command: process.execPath,
      args: ['host.mjs'],
      files: { 'host.mjs': HOST, 'route.mjs': block('js') },
      env: { ...(parseEnv(block('sh')) as Record<string, string>), PORT: String(port) },
    },
    port,
  );

describe('docs/clients/next-auth.md', () => {
  const app = webAppOf('next-auth', start);

  it('logs alice in and keeps her name, address and picture', async () => {
    const { origin, setting, printed } = app;
    const visitor = new Visitor(setting.server.base);
    const page = await visitor.go(`${origin}/api/auth/signin`);
    const seen = await enterPassword(visitor, await visitor.send(formWith(page, 'csrfToken')));
    assert.equal(seen.url, `${origin}/api/auth/session`, `${seen.text} ${printed()}`);
    assert.deepEqual(JSON.parse(seen.text).user, {
      name: 'Alice Example',
      email: 'alice@example.com',
      image: 'https://example.com/alice.png',
    });
  });
});
