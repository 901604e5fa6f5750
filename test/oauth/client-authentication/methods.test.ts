import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadTables } from '../../../src/assembly/tables.ts';
import { authMethods, isByCertificate } from '../../../src/directory/clients/rules.ts';
import { clientAuthMethods, clientAuthParameters } from '../../../src/oauth/client-authentication/methods.ts';
import { discoveryDocument } from '../../../src/oauth/discovery/rules.ts';

const { discovery: endpoints, grantTypes } = await loadTables();

const sorted = (names: Iterable<unknown>) => [...names].sort();

describe('the table of client authentication methods (row 33; RFC 6749 section 2.3)', () => {
  const withCredentials = clientAuthMethods.map(({ name }) => name);
  const document = discoveryDocument({
    issuer: 'https://id.example/issuer',
    docsUrl: 'https://id.example/docs',
    endpoints,
    grantTypes,
  });
  const advertised = (name: string) => sorted(document[name] as string[]);

  it('has a row for every method that a client can be registered with, beside none', () => {
    // Those of RFC 8705 present nothing in the request: authenticate.ts asks for the certificate of its connection.
    const inRequests = authMethods.filter(method => !isByCertificate(method));
    assert.deepEqual(sorted([...withCredentials, 'none']), sorted(inRequests));
  });

  for (const endpoint of ['token', 'revocation']) {
    it(`is what the metadata says of the ${endpoint} endpoint, where public clients go without credentials`, () => {
      const expected = sorted([...withCredentials, 'none']);
      assert.deepEqual(advertised(`${endpoint}_endpoint_auth_methods_supported`), expected);
    });
  }

  it('is what the metadata says of introspection, which needs credentials', () => {
    assert.deepEqual(advertised('introspection_endpoint_auth_methods_supported'), sorted(withCredentials));
  });

  it('gives the parameters whose duplicates are refused', () => {
    assert.deepEqual(clientAuthParameters, ['client_id', 'client_secret', 'client_assertion_type', 'client_assertion']);
  });
});
