import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { anApplication, aUser } from '../../build/fixture.ts';
import { anOperatorClient } from '../../build/operator.ts';
import { bob } from '../../build/people.ts';
import { suitePart } from '../../build/suite-part.ts';
import { suiteServer } from '../../build/test-server.ts';

describe('a role that is limited to applications (admin contract: who may call)', () => {
  const server = suiteServer({
    applications: [anApplication(), anApplication({ code: 'bank' }), anApplication({ code: 'gone' })],
    users: [aUser(), bob()],
  });
  const owner = suitePart(() => anOperatorClient(server));

  const unknownCodes = ({ json }: { json: { errors: { pointer: string; detail: string }[] } }) => json.errors;
  const NO_APPLICATION = 'is the code of no application';

  for (const [path, body] of [
    ['/operators', { username: 'bob', role: 'operator' }],
    ['/api_keys', { name: 'ci', role: 'operator' }],
  ] as const) {
    it(`POST ${path} refuses codes that name no application, each with its place, and makes nothing`, async () => {
      const refused = await owner.ask('POST', path, { ...body, applications: ['shop', 'shpo', 'bank', 'bnak'] });
      assert.equal(refused.status, 400);
      assert.deepEqual(unknownCodes(refused), [
        { pointer: '/applications/1', detail: NO_APPLICATION },
        { pointer: '/applications/3', detail: NO_APPLICATION },
      ]);
      const { items } = (await owner.ask('GET', path)).json;
      assert.deepEqual(
        items.filter((each: { applications?: unknown }) => each.applications),
        [],
      );
    });
  }

  it('takes applications that exist, the built-in one too, and keeps one that was deleted meanwhile', async () => {
    const applications = ['gone', 'gatehouse'];
    const added = await owner.ask('POST', '/operators', { username: 'alice', role: 'operator', applications });
    assert.equal(added.status, 201, added.text);
    const path = `/operators/${added.json.sub}`;
    assert.equal((await owner.ask('DELETE', '/applications/gone')).status, 204);
    const more = await owner.ask('PATCH', path, { applications: ['gone', 'bank'] });
    assert.deepEqual([more.status, more.json.applications], [200, ['gone', 'bank']]);
    const wrong = await owner.ask('PATCH', path, { applications: ['gone', 'nowhere'] });
    assert.equal(wrong.status, 400);
    assert.deepEqual(unknownCodes(wrong), [{ pointer: '/applications/1', detail: NO_APPLICATION }]);
    const deleted = await owner.ask('POST', '/api_keys', { name: 'ci', role: 'auditor', applications: ['gone'] });
    assert.deepEqual(unknownCodes(deleted), [{ pointer: '/applications/0', detail: NO_APPLICATION }]);
  });
});
