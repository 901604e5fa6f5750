import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decide } from '../../build/device.ts';
import { suitePart } from '../../build/suite-part.ts';
import { until } from '../../build/until.ts';
import { openPage } from './page.ts';
import { startNode } from './program.ts';

describe('docs/clients/device.md', () => {
  const setting = suitePart(() => openPage('device'));

  it('shows a code, and knows alice once she has allowed it', async () => {
    const program = await startNode(setting.block('js'));
    try {
      await until('the program shows a code', () => /enter \S+/.test(program.printed()));
      const [, userCode = ''] = /enter (\S+)/.exec(program.printed()) ?? [];
      assert.match((await decide(setting.server, userCode, 'allow')).text, /Your device is connected/);
      await until('the program is connected', () => program.printed().includes('Connected'));
      assert.match(program.printed(), /^Connected: Alice Example <alice@example\.com>$/m);
    } finally {
      await program.close();
    }
  });
});
