import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { register } from '../../build/assistant.ts';
import { openDocumentServer } from '../../build/document-server.ts';
import { suitePart } from '../../build/suite-part.ts';
import { suiteServer } from '../../build/test-server.ts';

const ONE = 'https://one.example/cb';
const TWO = 'https://two.example/cb';

describe('the sector of a client that registers itself (OpenID Connect Registration section 5)', () => {
  const documents = suitePart(openDocumentServer);
  const server = suiteServer({
    env: { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1' },
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
      documents.answer('/sector', { body });
      for (const subject_type of ['pairwise', 'public']) {
        const { status, json } = await registering({ subject_type, sector_identifier_uri: documents.at('/sector') });
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
});
