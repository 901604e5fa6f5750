import assert from 'node:assert/strict';
import { aSigningPair, assertionFor, presenting, type SigningPair } from './assertion.ts';
import { basic, post, send, token } from './client.ts';
import { aProof } from './dpop.ts';
import { aClient, anApplication, CALLBACK } from './fixture.ts';
import type { TestServer } from './test-server.ts';
import { query, Visitor } from './visitor.ts';

const APP = 'modern';
const KEY = aSigningPair('ES256', 'modern');
const SHARED = 'secret-of-a-client-that-signs-with-it';
const MACHINE = { grant_types: ['client_credentials' as const], redirect_uris: [] };
const signatureOf = (jwt: string) => jwt.slice(jwt.lastIndexOf('.') + 1);

/**
 * Clients that register themselves, push requests, and prove who they are by assertions and proofs, in an application of their own.
 * Returns the secrets that were seen on the way, right and wrong; of JWTs the signature, which whoever keeps them keeps too.
 */
export async function actAsModernClient(server: TestServer): Promise<Record<string, string>> {
  const keyed = { token_endpoint_auth_method: 'private_key_jwt' as const, jwks: { keys: [KEY.publicJwk] } };
  const shared = { token_endpoint_auth_method: 'client_secret_jwt' as const, client_secret: SHARED };
  const clients = [
    aClient({ ...MACHINE, client_id: 'keyed', client_secret: undefined, ...keyed }),
    aClient({ ...MACHINE, client_id: 'shared', ...shared }),
  ];
  const modern = anApplication({ code: APP, name: 'Modern', dynamic_registration: 'open', clients });
  await server.provision({ applications: [modern] });
  const registered = await register(server);
  return {
    ...registered.secrets,
    ...(await pushRequests(server, registered.clientId, registered.auth)),
    ...(await prove(server, 'keyed', KEY)),
    ...(await prove(server, 'shared', SHARED)),
    'secret that signs': SHARED,
  };
}

/** RFC 7591 and 7592. */
async function register(server: TestServer) {
  const ask = (address: string, method: string, body?: object, bearer?: string) =>
    send(address, {
      ...{ method, body: body ? JSON.stringify(body) : null },
      headers: {
        ...(body && { 'content-type': 'application/json' }),
        ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
      },
    });
  const metadata = { redirect_uris: [CALLBACK], token_endpoint_auth_method: 'client_secret_basic' };
  const { json } = await ask(`${server.at(APP)}/register`, 'POST', metadata);
  const { client_id, client_secret, registration_access_token: own, registration_client_uri: address } = json;
  const changed = await ask(address, 'PUT', { ...metadata, client_id, client_name: 'Changed' }, own);
  assert.equal(changed.status, 200, changed.text);
  assert.equal((await ask(address, 'GET', undefined, 'gra_wrong-registration-of-test')).status, 401);
  const next = changed.json.registration_access_token ?? own;
  const secrets = {
    ...{ 'registration access token': own, 'registration access token after a change': next },
    ...{ 'registered secret': client_secret, 'wrong registration token': 'wrong-registration-of-test' },
  };
  return { clientId: client_id as string, auth: basic(client_id, client_secret), secrets };
}

/** RFC 9126: one that is used, and used again, and one that waits. */
async function pushRequests(server: TestServer, client_id: string, auth: string): Promise<Record<string, string>> {
  const request = { response_type: 'code', redirect_uri: CALLBACK, scope: 'openid', state: 'state-that-is-pushed' };
  const push = async (): Promise<string> => {
    const { status, json, text } = await post(`${server.at(APP)}/par`, request, { auth });
    assert.equal(status, 201, text);
    return json.request_uri;
  };
  const [used, waiting] = [await push(), await push()];
  const visitor = new Visitor(server.base);
  const use = () => visitor.go(`${server.at(APP)}/auth?${query({ client_id, request_uri: used })}`);
  assert.deepEqual([(await use()).status, (await use()).status], [302, 400]);
  const nameOf = (uri: string) => uri.slice(uri.lastIndexOf(':') + 1);
  return { 'used request_uri': nameOf(used), 'waiting request_uri': nameOf(waiting), 'pushed state': request.state };
}

/** RFC 7523 and 9449: good ones, the same once more, and those of a stranger. */
async function prove(server: TestServer, clientId: string, signer: SigningPair | string) {
  const now = server.services.clock.now();
  const stranger = aSigningPair('ES256', 'stranger');
  const asserted = (by: SigningPair | string) => assertionFor(server, by, { clientId, now, audience: server.at(APP) });
  const proved = (by: SigningPair) => aProof(by, 'POST', `${server.at(APP)}/token`, { now });
  const ask = (assertion: string, dpop: string) =>
    token(server, presenting(assertion, { grant_type: 'client_credentials' }), { headers: { dpop } }, APP);

  const [assertion, proof, again, forged] = [asserted(signer), proved(KEY), asserted(signer), asserted(stranger)];
  const issued = await ask(assertion, proof);
  assert.deepEqual([issued.status, issued.json.token_type], [200, 'DPoP'], issued.text);
  assert.equal((await ask(assertion, proved(KEY))).status, 401);
  assert.equal((await ask(again, proof)).json.error, 'invalid_dpop_proof');
  assert.equal((await ask(forged, proved(stranger))).status, 401);
  return {
    [`assertion of ${clientId}`]: signatureOf(assertion),
    [`second assertion of ${clientId}`]: signatureOf(again),
    [`forged assertion of ${clientId}`]: signatureOf(forged),
    [`proof of ${clientId}`]: signatureOf(proof),
    [`bound token of ${clientId}`]: issued.json.access_token as string,
  };
}
