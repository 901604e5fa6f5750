import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { readClientDocument } from '../../../src/directory/client-id-metadata/client-document.ts';
import { readApplyFiles } from '../../../src/operators/apply/apply-file.ts';
import { type AccountServer, startAccountServer } from '../../build/account.ts';
import { send } from '../../build/client.ts';
import { fields } from '../../build/fields.ts';
import { anApplication } from '../../build/fixture.ts';
import { anOperatorClient, type OperatorClient } from '../../build/operator.ts';
import { formWith } from '../../build/visitor.ts';

const HIDDEN = {
  'a zero-width space': 'Go\u200Bod',
  'a right-to-left override': 'Go\u202Eod',
  'tag characters': 'Good\u{E0041}',
  'a line separator': 'Go\u2028od',
  'a soft hyphen': 'Go\u00ADod',
} as const;

describe('attack: invisible and direction-changing characters in a name that another person reads', () => {
  let server: AccountServer;
  let owner: OperatorClient;
  before(async () => {
    server = await startAccountServer({ applications: [anApplication({ dynamic_registration: 'open' })] });
    owner = await anOperatorClient(server);
  });
  after(() => server.close());

  for (const [what, name] of Object.entries(HIDDEN)) {
    it(`${what}: refused on the profile page`, async () => {
      const person = await server.person();
      for (const field of ['username', 'nickname']) {
        const form = formWith(await person.open('/account/profile'), 'nickname');
        assert.equal((await person.browser.send(form, { [field]: name })).status, 400, field);
      }
    });

    it(`${what}: refused by the admin API, in every name`, async () => {
      const bodies: readonly (readonly [path: string, body: object, pointer: string])[] = [
        ['/users', { username: name }, '/username'],
        ['/users', { username: 'u', nickname: name }, '/nickname'],
        ['/users', { username: 'u', given_name: name }, '/given_name'],
        ['/users', { username: 'u', groups: [name] }, '/groups/0'],
        ['/users', { username: 'u', address: { formatted: `a\n${name}` } }, '/address'],
        ['/applications', { code: 'x', name }, '/name'],
        ['/applications', { code: 'x', name: 'X', apis: [{ identifier: 'https://a.example', name }] }, '/apis/0/name'],
        ['/applications/shop/clients', { client_id: 'x', client_name: name }, '/client_name'],
        ['/applications/shop/initial_access_tokens', { name }, '/name'],
        ['/api_keys', { name, role: 'auditor' }, '/name'],
        ['/webhooks', { url: 'https://a.example/', description: name }, '/description'],
      ];
      for (const [path, body, pointer] of bodies) {
        const { status, json, text } = await owner.ask('POST', path, body);
        assert.equal(status, 400, `${path} ${pointer} ${text}`);
        assert(json.errors[0].pointer.startsWith(pointer), text);
      }
    });

    it(`${what}: refused in an apply file, a registration and a client ID document`, async () => {
      const files = [{ users: [{ username: name }] }, { applications: [{ code: 'x', name }] }];
      for (const file of files) {
        assert.equal(readApplyFiles(fields, [{ name: 'f', text: JSON.stringify(file) }]).kind, 'faulty');
      }
      const metadata = { client_name: name, redirect_uris: ['https://a.example/cb'] };
      const registered = await send(`${server.at()}/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(metadata),
      });
      assert.deepEqual([registered.status, registered.json.error], [400, 'invalid_client_metadata']);
      const client_id = 'https://client.example/app';
      const read = readClientDocument(fields.client, JSON.stringify({ ...metadata, client_id }), client_id);
      assert(read.kind === 'failed');
      assert.match(read.reason, /^client_name: /);
    });
  }

  it('what other scripts and pictures need stays: a non-joiner in Persian, a joiner in an emoji', async () => {
    const person = await server.person();
    const form = formWith(await person.open('/account/profile'), 'nickname');
    const nickname = 'می\u200Cخواهم 👩\u200D🔧';
    assert.equal((await person.browser.send(form, { nickname })).url, `${server.base}/account`);
    assert.equal((await server.services.store.findUser(person.sub))?.nickname, nickname);
  });
});
