import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startProgram } from '../pages/program.ts';
import { assertReceives, pageProgram } from '../webhook-page.ts';

describe('docs/webhooks.md', () => {
  it('the program for Python verifies what is sent, and refuses what was changed', async () => {
    const python = process.env.CLIENTS_PYTHON;
    assert(python, 'these are run by `npm run test:clients`');
    await assertReceives(({ secret, port }) => {
      const files = { 'receiver.py': pageProgram('python', port) };
      return startProgram({ command: python, args: ['receiver.py'], files, env: { WEBHOOK_SECRET: secret } }, port);
    });
  });
});
