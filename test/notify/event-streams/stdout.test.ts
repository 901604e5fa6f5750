import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { commandStart } from '../../assembly/run.ts';
import { useStart } from '../../assembly/start-fixture.ts';
import { basic, post } from '../../build/client.ts';

describe('events on standard output (GATEHOUSE_EVENT_STREAMS=stdout:)', () => {
  const fixture = useStart();

  it('stand among the lines of the log, each whole, and only they have no level', async () => {
    const env = { GATEHOUSE_EVENT_STREAMS: 'stdout:', GATEHOUSE_DEMO: 'true' };
    const server = await fixture.start(env, settings => commandStart(['serve'], settings));
    const isThere = (type: string) => server.printed(`"type":"${type}"`);
    const endpoint = `http://127.0.0.1:${fixture.port}/api/v1/authorize/demo/oauth2/introspect`;
    assert.equal((await post(endpoint, { token: 'x' }, { auth: basic('demo-api', 'wrong') })).status, 401);
    await isThere('client.authentication.failed');
    assert.equal(await server.stop(), 0);
    const lines = server
      .output()
      .split('\n')
      .filter(line => line.startsWith('{'))
      .map(line => JSON.parse(line));
    const events = lines.filter(line => line.level === undefined);
    assert(events.length > 0 && events.length < lines.length);
    for (const { seq, id, type, outcome } of events) {
      assert(Number.isSafeInteger(seq));
      assert.match(id, /^evt_/);
      assert(type && outcome);
    }
  });
});
