import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DEVICE_GRANT } from '../../../src/oauth/device/rules.ts';
import { register } from '../../build/assistant.ts';
import { fixedClock } from '../../build/clock.ts';
import { openDocumentServer } from '../../build/document-server.ts';
import { suitePart } from '../../build/suite-part.ts';
import { suiteServer } from '../../build/test-server.ts';

const ONE = 'https://one.example/cb';
const TWO = 'https://two.example/cb';

describe('the sector of a client that registers itself (OpenID Connect Registration section 5)', () => {
  const documents = suitePart(openDocumentServer);
  const clock = fixedClock();
  const server = suiteServer({
    clock,
    env: { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1', TRUSTED_PROXIES: '127.0.0.1' },
    shop: { dynamic_registration: 'open' },
  });
  const registering = (metadata: object) =>
    register(server, { redirect_uris: [ONE, TWO], subject_type: 'pairwise', ...metadata });

  it('is taken where its document lists all redirect URIs of the client', async () => {
    documents.answer('/sector', { body: JSON.stringify([ONE, 'https://three.example/', TWO]) });
    const { status, json, text } = await registering({ sector_identifier_uri: documents.at('/sector') });
    assert.equal(status, 201, text);
    assert.deepEqual([json.subject_type, json.sector_identifier_uri], ['pairwise', documents.at('/sector')]);
  });

  for (const [name, body] of [
    ['does not list one of them', JSON.stringify([ONE])],
    ['is no list', JSON.stringify({ 0: ONE, 1: TWO, length: 2 })],
    ['is no JSON', 'x'],
    ['is too long', JSON.stringify([ONE, TWO, 'x'.repeat(20_000)])],
  ] as const) {
    it(`is refused where the document ${name}, also for public subjects`, async () => {
      const path = `/${name.replaceAll(' ', '-')}`;
      documents.answer(path, { body });
      for (const subject_type of ['pairwise', 'public']) {
        const { status, json } = await registering({ subject_type, sector_identifier_uri: documents.at(path) });
        assert.deepEqual([status, json.error], [400, 'invalid_client_metadata']);
        assert.match(json.error_description, /sector_identifier_uri/);
      }
    });
  }

  it('is refused where nothing is there, and where two hosts have no document', async () => {
    for (const metadata of [{ sector_identifier_uri: documents.at('/nothing') }, {}]) {
      assert.equal((await registering(metadata)).status, 400);
    }
    assert.equal((await registering({ redirect_uris: [ONE] })).status, 201);
  });

  it("attack: is not joined by writing its host after a scheme of one's own", async () => {
    const own = { token_endpoint_auth_method: 'none', redirect_uris: ['evil://one.example/cb'] };
    const { status, json } = await registering(own);
    assert.deepEqual([status, json.error], [400, 'invalid_client_metadata']);
    assert.match(json.error_description, /subject_type/);
  });

  it('attack: is not joined by a grant that sends nothing to the redirect URIs, which anybody can copy from the document', async () => {
    documents.answer('/one', { body: JSON.stringify([ONE]) });
    documents.answer('/none', { body: '[]' });
    for (const [redirect_uris, sector] of [
      [[ONE], undefined],
      [[ONE], '/one'],
      [[], '/none'],
    ] as const) {
      for (const grants of [[DEVICE_GRANT], ['authorization_code', DEVICE_GRANT]]) {
        if (redirect_uris.length === 0 && grants.length > 1) continue;
        const sector_identifier_uri = sector && documents.at(sector);
        const { status, json } = await registering({ redirect_uris, grant_types: grants, sector_identifier_uri });
        assert.deepEqual([status, json.error], [400, 'invalid_client_metadata'], `${grants} ${sector}`);
        assert.match(json.error_description, /subject_type/);
      }
    }
  });

  it('is joined by such a client with a key at an address that the document lists (CIBA Core section 4)', async () => {
    const keys = documents.at('/keys');
    const byKey = { token_endpoint_auth_method: 'private_key_jwt', jwks_uri: keys };
    const device = { grant_types: [DEVICE_GRANT], redirect_uris: [], ...byKey };
    documents.answer('/without-keys', { body: JSON.stringify([ONE, TWO]) });
    documents.answer('/with-keys', { body: JSON.stringify([ONE, TWO, keys]) });
    const { status, json } = await registering({ ...device, sector_identifier_uri: documents.at('/without-keys') });
    assert.deepEqual([status, json.error], [400, 'invalid_client_metadata']);
    assert.match(json.error_description, /does not list/);
    const sector_identifier_uri = documents.at('/with-keys');
    assert.equal((await registering({ ...device, sector_identifier_uri })).status, 201);
    const bySecret = { ...device, token_endpoint_auth_method: 'client_secret_basic', sector_identifier_uri };
    assert.equal((await registering(bySecret)).status, 400);
  });

  it('is fetched once for many registrations at a time, and for those of the next minute; so is one that fails', async () => {
    documents.answer('/many', { body: JSON.stringify([ONE, TWO]) });
    documents.answer('/faulty', { body: '{}' });
    for (const [path, expected] of [
      ['/many', 201],
      ['/faulty', 400],
    ] as const) {
      const send = () => registering({ sector_identifier_uri: documents.at(path) });
      const answered = [...(await Promise.all(Array.from({ length: 20 }, send))), await send()];
      assert.deepEqual(new Set(answered.map(({ status }) => status)), new Set([expected]));
      assert.equal(documents.count(path), 1, path);
    }
  });

  it('is fetched again for a client that it does not list, not more often than every 10 s', async () => {
    const sector_identifier_uri = documents.at('/growing');
    const registration = () => registering({ sector_identifier_uri });
    documents.answer('/growing', { body: JSON.stringify([ONE]) });
    assert.equal((await registration()).status, 400);
    documents.answer('/growing', { body: JSON.stringify([ONE, TWO]) });
    assert.equal((await registration()).status, 400);
    assert.equal(documents.count('/growing'), 1);
    clock.advance(10);
    assert.equal((await registration()).status, 201);
    assert.equal(documents.count('/growing'), 2);
  });
});
