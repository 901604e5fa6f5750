import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deleteUnusedClients } from '../../../src/oauth/registration/job.ts';
import { readApplyFiles } from '../../../src/operators/apply/apply-file.ts';
import { exportText } from '../../../src/operators/apply/export.ts';
import { planChanges } from '../../../src/operators/apply/plan.ts';
import { PUBLIC, WITH_VERIFIER } from '../../build/assistant.ts';
import { redeem, refresh } from '../../build/client.ts';
import { fields } from '../../build/fields.ts';
import { aClient, anApplication } from '../../build/fixture.ts';
import { registrationOfFile } from './registration-fixture.ts';

const at = await registrationOfFile();

describe('registered clients that nobody uses', () => {
  const clean = () => deleteUnusedClients(at.server.services, () => false);
  const exists = async (id: string) => (await at.server.services.store.findClient('shop', id)) !== undefined;

  it('are deleted after 90 days without a user, with an event; those in use and those of operators stay', async () => {
    const grants = { grant_types: ['authorization_code', 'refresh_token'] };
    const unused = (await at.registered()).client_id;
    const used = (await at.registered({ ...PUBLIC, ...grants })).client_id;
    let { refresh_token } = (await redeem(at.server, await at.codeFor(used), { client_id: used, ...WITH_VERIFIER }, {}))
      .json;
    for (let days = 0; days < 91; days += 13) {
      at.clock.advance(13 * 86_400);
      const next = await refresh(at.server, refresh_token, { client_id: used }, {});
      assert.equal(next.status, 200, next.text);
      refresh_token = next.json.refresh_token;
    }
    await clean();
    assert.deepEqual([await exists(unused), await exists(used), await exists('web')], [false, true, true]);
    const events = await at.server.services.store.listEvents(
      { types: ['client.deleted'] },
      { after: undefined, limit: 100 },
    );
    const event = events.find(({ clientId }) => clientId === unused);
    assert.deepEqual([event?.actor.kind, event?.details], ['system', { reason: 'unused' }]);
    at.clock.advance(120 * 86_400);
    await clean();
    assert.equal(await exists(used), false, 'its last token has expired');
  });

  it('are not pruned by an apply file, and are not exported', async () => {
    const { client_id } = await at.registered();
    const shop = await at.server.services.store.findStoredApplication('shop');
    const file = JSON.stringify({ applications: [{ ...shop?.application, clients: [aClient({ client_id: 'new' })] }] });
    const read = readApplyFiles(fields, [{ name: 'test', text: file }]);
    assert(read.kind === 'valid');
    const { differences } = await planChanges(at.server.services, read.file, { prune: true, dryRun: true });
    const named = differences.flatMap(({ action, object }) =>
      object.type === 'client' ? [`${action} ${object.client_id}`] : [],
    );
    assert.deepEqual(named, ['delete web', 'create new']);
    let text = '';
    const options = { format: 'yaml', users: false, passwordHashes: false, app: 'shop' } as const;
    for await (const piece of exportText(at.server.services, options)) text += piece;
    assert.match(text, /client_id: web/);
    assert.match(text, /dynamic_registration: open/);
    assert(!text.includes(client_id));
  });

  it('and one that an operator has taken over by an apply file stays', async () => {
    const taken = (await at.registered()).client_id;
    const shop = await at.server.services.store.findStoredApplication('shop');
    await at.server.provision({
      applications: [
        anApplication({ ...shop?.application, clients: [aClient(), aClient({ client_id: taken })] } as never),
      ],
    });
    at.clock.advance(91 * 86_400);
    await clean();
    assert.equal(await exists(taken), true);
  });
});
