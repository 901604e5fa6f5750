import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ALICE, token } from '../../build/client.ts';
import { suiteServer } from '../../build/test-server.ts';

const DAY_MS = 86_400_000;

describe('the wall clock is set back by a day', () => {
  const server = suiteServer();

  it('and nobody waits for it: an address that has guessed nothing goes on (row 42)', async t => {
    const logIn = async () => (await token(server, { grant_type: 'password', ...ALICE })).status;
    assert.equal(await logIn(), 200);
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() - DAY_MS });
    assert.equal(await logIn(), 200);
  });
});
