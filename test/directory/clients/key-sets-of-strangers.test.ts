import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aSigningPair, assertionFor, presenting } from '../../build/assertion.ts';
import { CALLBACK, sendJson } from '../../build/assistant.ts';
import { introspect } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { openDocumentServer } from '../../build/document-server.ts';
import { aClient } from '../../build/fixture.ts';
import { keySetOf } from '../../build/key-server.ts';
import { elsewhere } from '../../build/limits.ts';
import { suitePart } from '../../build/suite-part.ts';
import { suiteServer } from '../../build/test-server.ts';
import { until } from '../../build/until.ts';

/** As many fetches as may be under way at a time (platform/outbound/document-cache.ts). */
const MANY = 100;
const KEY = aSigningPair('ES256');

describe('clients that have registered themselves, with addresses of keys that never answer', () => {
  const clock = fixedClock();
  const documents = suitePart(openDocumentServer);
  const server = suiteServer({
    clock,
    env: { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1', TRUSTED_PROXIES: '127.0.0.1' },
    shop: { dynamic_registration: 'open', clients: [aClient()] },
  });

  async function registered(jwks_uri: string): Promise<string> {
    const metadata = { redirect_uris: [CALLBACK], token_endpoint_auth_method: 'private_key_jwt', jwks_uri };
    const answered = await sendJson(`${server.at()}/register`, 'POST', metadata, { headers: elsewhere() });
    assert.equal(answered.status, 201, answered.text);
    return answered.json.client_id;
  }
  const status = async (clientId: string) => {
    const presented = presenting(assertionFor(server, KEY, { clientId, now: clock.now() }));
    return (await introspect(server, { token: 'x', ...presented }, { headers: elsewhere() })).status;
  };

  it('attack: take no place from the clients of operators', async () => {
    const held = Promise.withResolvers<void>();
    const paths = Array.from({ length: MANY }, (_, at) => `/slow/${at}`);
    const strangers = [];
    for (const path of paths) {
      documents.answer(path, { ...keySetOf(KEY.publicJwk), when: held.promise });
      strangers.push(await registered(documents.at(path)));
    }
    const waiting = strangers.map(status);
    await until('all of them are asked for', () => paths.every(path => documents.count(path) > 0));
    documents.answer('/own', keySetOf(KEY.publicJwk));
    const own = { client_id: 'own', client_secret: undefined, token_endpoint_auth_method: 'private_key_jwt' as const };
    await server.provision({ clients: [aClient({ ...own, jwks_uri: documents.at('/own') })] });
    const answered = await status('own').finally(held.resolve);
    assert.equal(answered, 200);
    await Promise.all(waiting);
  });
});
