import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { settingsFromRow } from '../../src/directory/applications/rows.store.ts';
import { clientFromRow } from '../../src/directory/clients/rows.store.ts';
import { fields } from '../build/fields.ts';

describe('the fields that capabilities declare', () => {
  it('rows that an earlier release stored have their defaults: the store is below the declarations', () => {
    const application = settingsFromRow({ code: 'shop', name: 'Shop', settings: '{}' });
    const client = clientFromRow({ client_id: 'web', secret_hash: null, metadata: '{}' });
    const held: readonly (readonly [object, object])[] = [
      [application, fields.application.defaults],
      [client, fields.client.defaults],
    ];
    for (const [row, defaults] of held) {
      const known = new Map(Object.entries(defaults));
      for (const [name, value] of Object.entries(row)) {
        if (known.has(name)) assert.deepEqual(value, known.get(name), name);
      }
    }
  });

  it('have a control of their capability for every custom one, and a name for every choice', async () => {
    const { capabilities } = await import('../../src/capabilities.ts');
    const controls = capabilities.flatMap(each => Object.keys(each.controls ?? {}));
    const declared = [...fields.client.declared, ...fields.application.declared];
    const own = declared.filter(({ control }) => control === 'custom').map(({ name }) => name);
    assert.deepEqual(controls.sort(), own.sort());
    for (const { name, choices } of declared) {
      if (choices) assert.deepEqual(Object.keys(choices.zh), Object.keys(choices.en), name);
    }
  });
});
