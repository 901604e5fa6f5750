import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { explanationOf } from '../../audit/explain/cases/world.ts';
import { aSigningPair, assertionFor, presenting } from '../../build/assertion.ts';
import { aPkcePair, assertRefused, get, introspect } from '../../build/client.ts';
import { type DocumentServer, openDocumentServer } from '../../build/document-server.ts';
import { aClient, anApplication } from '../../build/fixture.ts';
import { keySetOf } from '../../build/key-server.ts';
import { startTestServer, type TestServer } from '../../build/test-server.ts';
import { query } from '../../build/visitor.ts';

/**
 * Server-side request forgery by what clients publish: a real https listener, with a certificate that this process trusts, waits where
 * the addresses lead. Nothing but the guard (platform/outbound/request.ts) keeps the server from it: with GATEHOUSE_OUTBOUND_ALLOW it gets there.
 */
const KEY = aSigningPair('ES256');
const ALLOW_LOOPBACK = { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1' };
const NOT_PUBLIC = 'the address is not public';
const { challenge } = aPkcePair();
let documents: DocumentServer;
before(async () => {
  documents = await openDocumentServer();
});
after(() => documents.close());

/** The hosts of which the listener is reached by a connection without a guard. */
const HOSTS = {
  '127.0.0.1': 'a loopback address',
  localhost: 'a name that resolves to one',
  '0.0.0.0': 'the address of this host',
  '[::ffff:7f00:1]': 'a loopback address in the form of IPv6',
} as const;
type Host = keyof typeof HOSTS;
const ALL = Object.entries(HOSTS) as [Host, string][];
/** Those that the certificate is for. */
const NAMED = ['127.0.0.1', 'localhost'] as const;
const addressOf = (host: Host, path: string) => documents.at(path).replace('127.0.0.1', host);

async function withServer(env: Record<string, string>, use: (server: TestServer) => Promise<void>): Promise<void> {
  const clients = ALL.map(([host], at) =>
    aClient({
      ...{ client_id: `remote-${at}`, client_secret: undefined, token_endpoint_auth_method: 'private_key_jwt' },
      jwks_uri: addressOf(host, '/keys'),
    }),
  );
  const server = await startTestServer({ env, applications: [anApplication({ client_id_metadata: 'any', clients })] });
  try {
    await use(server);
  } finally {
    await server.close();
  }
}

/** How many connections the listener gets meanwhile. */
async function connectionsDuring(act: () => Promise<void>): Promise<number> {
  const before = documents.connections();
  await act();
  return documents.connections() - before;
}

function authorize(server: TestServer, client_id: string) {
  const redirect_uri = 'https://assistant.example/cb';
  const request = { client_id, response_type: 'code', redirect_uri, scope: 'openid' };
  return get(`${server.at()}/auth?${query({ ...request, code_challenge: challenge, code_challenge_method: 'S256' })}`, {
    accept: 'text/html',
  });
}

function useKeysOf(server: TestServer, host: Host) {
  const clientId = `remote-${ALL.findIndex(([each]) => each === host)}`;
  return introspect(server, { token: 'x', ...presenting(assertionFor(server, KEY, { clientId })) }, {});
}

describe('client ID metadata documents on private addresses', () => {
  /** A document that is right in all but its place. */
  function publishAt(host: Host): string {
    const address = addressOf(host, '/client');
    documents.publish('/client', { client_id: address });
    return address;
  }

  for (const [host, what] of ALL) {
    it(`attack: ${what} is not reached: ${host}`, () =>
      withServer({}, async server => {
        const connections = await connectionsDuring(async () => {
          const refused = await authorize(server, publishAt(host));
          assert.deepEqual([refused.status, refused.headers.get('location')], [400, null], refused.text);
          const { reason, difference } = await explanationOf(server, refused);
          assert.equal(reason, 'clientDocumentInvalid');
          assert.match(difference?.text ?? '', new RegExp(NOT_PUBLIC, 'i'));
        });
        assert.equal(connections, 0);
      }));
  }

  it('the operator allows the address: the same listener is reached, by its name too', () =>
    withServer(ALLOW_LOOPBACK, async server => {
      for (const host of NAMED) {
        const connections = await connectionsDuring(async () => {
          const { status, text } = await authorize(server, publishAt(host));
          assert.equal(status, 302, text);
        });
        assert.equal(connections, 1, host);
      }
    }));
});

describe('jwks_uri on private addresses', () => {
  before(() => documents.answer('/keys', { body: String(keySetOf(KEY.publicJwk).body) }));

  for (const [host, what] of ALL) {
    it(`attack: ${what} is not reached: ${host}`, () =>
      withServer({}, async server => {
        const connections = await connectionsDuring(async () => {
          const refused = await useKeysOf(server, host);
          assertRefused(refused, 401, 'invalid_client');
          assert.deepEqual((await explanationOf(server, refused)).difference?.kinds, ['jwks-uri']);
          const keys = await server.services.keySets.of({}).read(addressOf(host, '/keys'));
          assert.equal(keys.kind === 'failed' && keys.reason, NOT_PUBLIC);
        });
        assert.equal(connections, 0);
      }));
  }

  it('the operator allows the address: the same listener is reached, by its name too', () =>
    withServer(ALLOW_LOOPBACK, async server => {
      for (const host of NAMED) {
        const connections = await connectionsDuring(async () => {
          const { status, text } = await useKeysOf(server, host);
          assert.equal(status, 200, text);
        });
        assert.equal(connections, 1, host);
      }
    }));
});
