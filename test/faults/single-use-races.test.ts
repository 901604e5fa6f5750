import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { DEVICE_GRANT } from '../../src/oauth/device/rules.ts';
import { aSigningPair, assertionFor, presenting } from '../build/assertion.ts';
import { WEB } from '../build/client.ts';
import { aWaitingDevice, decide } from '../build/device.ts';
import { aProof } from '../build/dpop.ts';
import { aClient, anApplication, CALLBACK } from '../build/fixture.ts';
import { signedIn } from '../build/people.ts';
import { createDatabase, stopOwnServer, type TestDatabase } from '../build/postgres.ts';
import type { ServerAddress } from '../build/test-server.ts';
import { type Fields, query } from '../build/visitor.ts';
import { type Given, given } from './given.ts';
import { type Cluster, startCluster } from './nodes.ts';
import { type Answer, ask, inParallel, introspect, repeated } from './wire.ts';

const RACES = 50;
/** Four on each node. */
const CALLERS = 12;
/** Races at the same time; each with all its callers. */
const WIDTH = 4;
const KEY = aSigningPair('ES256', 'single use');
const SIGNER = 'signer';
const CLIENTS = [
  aClient({ grant_types: ['authorization_code', 'refresh_token', 'client_credentials', DEVICE_GRANT] }),
  aClient({
    ...{ client_id: SIGNER, client_secret: undefined, token_endpoint_auth_method: 'private_key_jwt' },
    jwks: { keys: [KEY.publicJwk] },
  }),
];
/** A proof or an assertion counts also where its answer is lost, so no caller may run into the timeout and come again. */
const ENV = { DATABASE_TIMEOUT: '20', TRUSTED_PROXIES: '127.0.0.1' };

describe('many callers with one thing that is good once, on three nodes and one PostgreSQL', () => {
  let database: TestDatabase;
  let start: Given;
  let cluster: Cluster;
  let server: ServerAddress;
  before(async () => {
    database = await createDatabase();
    start = await given(database.url, anApplication({ clients: CLIENTS }));
    cluster = await startCluster({ databaseUrl: database.url, env: ENV });
    const { base } = cluster;
    server = { base, at: (app = 'shop') => `${base}/api/v1/authorize/${app}/oauth2` };
  });
  after(async () => {
    await cluster?.stop();
    await start?.close();
    await database?.drop();
    await stopOwnServer();
  });

  const node = (caller: number) => cluster.nodes[caller % cluster.nodes.length] as Cluster['nodes'][number];
  const atNode = (caller: number) => server.at().replace(server.base, node(caller).url);
  const post = (caller: number, endpoint: string, fields: Fields, headers: Record<string, string> = {}) =>
    ask(
      `${atNode(caller)}/${endpoint}`,
      { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      query(fields),
    );

  /** One caller of each race succeeds, and all others are refused, as is one on each node afterwards. Returns the winners. */
  async function race<T>(
    things: readonly T[],
    send: (caller: number, thing: T) => Promise<Answer>,
    nameOf: (answer: Answer) => string,
    [success, refusal]: readonly [string, string],
  ): Promise<Answer[]> {
    const winners: Answer[] = [];
    const names = new Set<string>();
    await inParallel(things, WIDTH, async thing => {
      const racing = Array.from({ length: CALLERS }, (_, caller) => repeated(() => send(caller, thing)));
      const answers = await Promise.all(racing);
      const won = answers.filter(answer => nameOf(answer) === success);
      assert.equal(won.length, 1, `${won.length} of ${CALLERS}: ${answers.map(nameOf).join(', ')}`);
      winners.push(...won);
      const late = await Promise.all(cluster.nodes.map((_, caller) => repeated(() => send(caller, thing))));
      for (const answer of [...answers.filter(each => !won.includes(each)), ...late]) names.add(nameOf(answer));
    });
    assert.equal(winners.length, RACES);
    assert.deepEqual([...names], [refusal]);
    return winners;
  }
  const errorOf = ({ outcome, json }: Answer) => `${outcome} ${json?.error ?? ''}`.trimEnd();

  it(`${RACES} device codes, ${CALLERS} polls each: one token set each, and it lives (RFC 8628 section 3.5)`, async () => {
    const visitor = await signedIn(server);
    const codes: string[] = [];
    while (codes.length < RACES) {
      const device = await aWaitingDevice(server, { client_id: 'web' }, { auth: WEB });
      await decide(server, device.user_code, 'allow', visitor);
      codes.push(device.device_code);
    }
    const fields = { grant_type: DEVICE_GRANT };
    const poll = (caller: number, device_code: string) =>
      post(caller, 'token', { ...fields, device_code }, { authorization: WEB });
    const winners = await race(codes, poll, errorOf, ['200', '400 invalid_grant']);
    for (const { json } of winners) {
      const found = await repeated(() => introspect(node(1), json.access_token));
      assert.equal(found.json.active, true, found.text);
    }
    const [stored] = await database.query('SELECT count(*)::int AS tokens FROM access_tokens');
    assert.deepEqual(stored, { tokens: RACES });
  });

  it(`${RACES} request_uris, ${CALLERS} browsers each: one code each (RFC 9126 section 7.3)`, async () => {
    const uris: string[] = [];
    while (uris.length < RACES) {
      const pushed = { response_type: 'code', redirect_uri: CALLBACK, scope: 'openid' };
      const { outcome, json, text } = await repeated(() => post(uris.length, 'par', pushed, { authorization: WEB }));
      assert.equal(outcome, 201, text);
      uris.push(json.request_uri);
    }
    const bring = (caller: number, request_uri: string) => {
      const headers = { cookie: start.cookie, accept: 'application/json' };
      return ask(`${atNode(caller)}/auth?${query({ client_id: 'web', request_uri })}`, headers);
    };
    const nameOf = (answer: Answer) =>
      answer.headers.location?.startsWith(`${CALLBACK}?code=`) ? 'a code' : errorOf(answer);
    const winners = await race(uris, bring, nameOf, ['a code', '400 invalid_request_uri']);
    assert.equal(new Set(winners.map(({ headers }) => headers.location)).size, RACES);
  });

  it(`${RACES} client assertions, ${CALLERS} requests each: one authenticates (RFC 7523 section 3)`, async () => {
    const assertions = Array.from({ length: RACES }, (_, number) => ({
      fields: { token: 'x', ...presenting(assertionFor(server, KEY, { clientId: SIGNER })) },
      // Each race from a network of its own: failures are limited.
      headers: { 'x-forwarded-for': `10.0.${number}.1` },
    }));
    const send = (caller: number, { fields, headers }: (typeof assertions)[number]) =>
      post(caller, 'introspect', fields, headers);
    await race(assertions, send, errorOf, ['200', '401 invalid_client']);
  });

  it(`${RACES} DPoP proofs, ${CALLERS} token requests each: one bound token each (RFC 9449 section 11.1)`, async () => {
    const proofs = Array.from({ length: RACES }, () => aProof(KEY, 'POST', `${server.at()}/token`));
    const send = (caller: number, dpop: string) =>
      post(caller, 'token', { grant_type: 'client_credentials' }, { authorization: WEB, dpop });
    const winners = await race(proofs, send, errorOf, ['200', '400 invalid_dpop_proof']);
    assert.equal(new Set(winners.map(({ json }) => json.access_token)).size, RACES);
    assert(winners.every(({ json }) => json.token_type === 'DPoP'));
  });
});
