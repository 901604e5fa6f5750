import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formWith, Visitor } from '../../build/visitor.ts';
import { wander } from '../wander.ts';
import { enterPassword } from './log-in.ts';
import { printedLine } from './printed-line.ts';
import { startNode } from './program.ts';
import { webAppOf } from './web-app.ts';

describe('docs/clients/mcp-sdk.md', () => {
  const app = webAppOf('mcp-sdk');

  it('finds the server by its metadata, asks alice, and calls a tool in her name', async () => {
    const { setting, printed } = app;
    const visitor = new Visitor(setting.server.base);
    const client = await startNode(setting.block('javascript'));
    try {
      const page = await enterPassword(visitor, await printedLine(client, /^Open (\S+) in a browser\.$/m));
      assert.equal(new URL(page.url).pathname, '/consent', page.text);
      assert.match(page.text, /Shop assistant/);
      const seen = await wander(visitor, await visitor.send(formWith(page, 'action'), { action: 'allow' }));
      assert.equal(seen.text, 'You can close this window.', client.printed() + printed());
      assert.equal(await printedLine(client, /^(Alice .*)$/m), 'Alice Example <alice@example.com>');
    } finally {
      await client.close();
    }
  });
});
