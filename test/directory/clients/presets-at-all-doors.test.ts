import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Preset, presets } from '../../../src/directory/clients/presets.fields.ts';
import { register } from '../../build/assistant.ts';
import { gatehouse, gatehouseReading } from '../../build/command.ts';
import { filledForm, inConsole } from '../../build/console.ts';
import { fields } from '../../build/fields.ts';
import { aUser, CALLBACK } from '../../build/fixture.ts';
import { anOperatorClient } from '../../build/operator.ts';
import { suiteServer } from '../../build/test-server.ts';
import { withStatus } from '../../build/with-status.ts';

const CLIENTS = '/console/applications/shop/clients';
const API = '/applications/shop/clients';

/** What differs from client to client. */
const OWN = ['client_id', 'client_name'];

/** Row 60: every door that creates a client knows the presets, and writes the same values. */
describe('a new client is the same at every door', () => {
  const server = suiteServer({
    shop: { clients: [], dynamic_registration: 'open' },
    users: [aUser()],
  });

  const made = async (client_id: string) => {
    const owner = await anOperatorClient(server);
    const { json } = await owner.ask('GET', `${API}/${client_id}`);
    return Object.fromEntries(Object.entries(json).filter(([name]) => !OWN.includes(name)));
  };

  type Door = (client_id: string, preset: Preset | undefined) => Promise<string>;
  const doors: Readonly<Record<string, Door>> = {
    'admin API': async (client_id, preset) => {
      const owner = await anOperatorClient(server);
      await withStatus(201, owner.ask('POST', API, { client_id, preset, redirect_uris: [CALLBACK] }));
      return client_id;
    },
    'command line': async (client_id, preset) => {
      const options = ['--app', 'shop', '--client-id', client_id, '--redirect-uris', CALLBACK];
      const { code, err } = await gatehouse(
        server,
        'clients',
        'create',
        ...options,
        ...(preset ? ['--preset', preset] : []),
      );
      assert.equal(code, 0, err);
      return client_id;
    },
    'apply file': async (client_id, preset) => {
      const clients = [{ client_id, preset, redirect_uris: [CALLBACK] }];
      const file = JSON.stringify({ applications: [{ code: 'shop', name: 'Shop', clients }] });
      const { code, err } = await gatehouseReading(server, file, 'apply', '-');
      assert.equal(code, 0, err);
      return client_id;
    },
    console: async (client_id, preset) => {
      const owner = await anOperatorClient(server);
      await owner.ask('POST', '/operators', { username: 'alice', role: 'owner' });
      const { visitor, seen } = await inConsole(server, `${CLIENTS}/new?preset=${preset ?? 'legacy'}`);
      await withStatus(201, visitor.send(filledForm(seen, 'client_id'), { client_id, redirect_uris: CALLBACK }));
      return client_id;
    },
  };

  for (const preset of [undefined, ...presets]) {
    it(`${preset ?? 'without a preset'}: ${Object.keys(doors).join(', ')}`, async () => {
      const clients = await Promise.all(
        Object.entries(doors).map(
          async ([door, create], at) => [door, await made(await create(`door-${at}-${preset}`, preset))] as const,
        ),
      );
      const [[, first] = assert.fail('no door'), ...others] = clients;
      assert('require_pkce' in first && 'userinfo_claims' in first);
      for (const [door, client] of others) assert.deepEqual(client, first, door);
    });
  }

  // The machine preset is refused there, and what only operators set is the server's own (dynamic-registration-presets.test.ts).
  for (const preset of ['web', 'spa', 'native', 'device'] as const) {
    it(`${preset}: a client that registers itself gets the same of what it may set`, async () => {
      const metadata = { preset, redirect_uris: [CALLBACK] };
      const registered = await register(server, metadata);
      assert.equal(registered.status, 201, registered.text);
      const itself = await made(registered.json.client_id);
      const byOperator = await made((await doors['admin API']?.(`own-${preset}`, preset)) ?? '');
      // Without a scope of its own it may ask its users for every one (docs/self-registration.md).
      const names = fields.client.own.map(({ name }) => name).filter(name => ![...OWN, 'scope'].includes(name));
      const ofOwn = (client: Readonly<Record<string, unknown>>) => names.map(name => [name, client[name]]);
      assert.deepEqual(ofOwn(itself), ofOwn(byOperator));
      assert.equal(itself.require_pkce, byOperator.require_pkce);
    });
  }
});
