import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { run } from '../../assembly/run.ts';
import { suitePart } from '../../build/suite-part.ts';
import { until } from '../../build/until.ts';
import { openPage } from './page.ts';
import { startNode } from './program.ts';

describe('docs/clients/machine.md', () => {
  const setting = suitePart(() => openPage('machine'));

  const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  const assertForApi = (token: string) => {
    const { aud, scope, sub, client_id } = claimsOf(token);
    assert.deepEqual(
      [aud, scope, sub, client_id],
      ['https://api.shop.example', 'orders:read', 'shop-worker', 'shop-worker'],
    );
  };

  it('gets a token for the API from a shell', async () => {
    const { code, out, err } = await run('sh', ['-c', setting.block('sh')]);
    assert.equal(code, 0, err);
    const answer = JSON.parse(out);
    assertForApi(answer.access_token);
    assert.deepEqual([answer.expires_in, answer.refresh_token, answer.id_token], [600, undefined, undefined]);
  });

  it('gets one with openid-client', async () => {
    const program = await startNode(setting.block('js'));
    try {
      await until('it has printed the token', () => program.printed().includes('\n'));
      assertForApi(program.printed().trim());
    } finally {
      await program.close();
    }
  });
});
