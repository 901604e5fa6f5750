import { describe, it } from 'node:test';
import { startProgram } from '../../clients/pages/program.ts';
import { assertReceives, pageProgram } from '../../clients/webhook-page.ts';

describe('docs/webhooks.md', () => {
  it('the program for Node.js verifies what is sent, and refuses what was changed', () =>
    assertReceives(({ secret, port }) => {
      const files = { 'receiver.mjs': pageProgram('js', port) };
      const env = { WEBHOOK_SECRET: secret };
      return startProgram({ command: process.execPath, args: ['receiver.mjs'], files, env }, port);
    }));
});
