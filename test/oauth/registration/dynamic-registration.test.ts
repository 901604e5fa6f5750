import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aSigningPair, assertionFor, presenting } from '../../build/assertion.ts';
import { CALLBACK, PUBLIC, requestUrl, WITH_VERIFIER } from '../../build/assistant.ts';
import { basic, get, introspect, post, redeem, refresh, send } from '../../build/client.ts';
import { elsewhere } from '../../build/limits.ts';
import { anOperatorClient } from '../../build/operator.ts';
import { logIn } from '../../build/people.ts';
import { Visitor } from '../../build/visitor.ts';
import { withStatus } from '../../build/with-status.ts';
import { assertRefusal, registrationOfFile } from './registration-fixture.ts';

const at = await registrationOfFile();

describe('dynamic registration (modern contract; RFC 7591)', () => {
  it('a public client registers itself and gets tokens, with all that is registered in the answer (section 3.2.1)', async () => {
    const { status, json, headers } = await at.register({
      ...PUBLIC,
      grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:unknown'],
      response_types: ['code'],
      scope: 'openid orders:read unknown:scope',
      application_type: 'native',
      software_id: 'ignored',
    });
    assert.equal(status, 201);
    assert.match(headers.get('cache-control') ?? '', /no-store/);
    assert.deepEqual(json, {
      client_id: json.client_id,
      client_id_issued_at: at.clock.now(),
      registration_access_token: json.registration_access_token,
      registration_client_uri: `${at.server.at()}/register/${json.client_id}`,
      client_name: 'Assistant',
      redirect_uris: [CALLBACK],
      post_logout_redirect_uris: [],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      scope: 'openid orders:read',
      id_token_signed_response_alg: 'RS256',
      require_pushed_authorization_requests: false,
      dpop_bound_access_tokens: false,
      tls_client_certificate_bound_access_tokens: false,
      frontchannel_logout_session_required: false,
      require_signed_request_object: false,
      request_uris: [],
      userinfo_claims: 'documented',
      subject_type: 'public',
      backchannel_user_code_parameter: false,
    });
    const set = await redeem(
      at.server,
      await at.codeFor(json.client_id),
      { client_id: json.client_id, ...WITH_VERIFIER },
      {},
    );
    assert.equal(set.status, 200, set.text);
    assert.equal((await refresh(at.server, set.json.refresh_token, { client_id: json.client_id }, {})).status, 200);
  });

  it('a client with a secret gets it once; it is stored as a hash, and the token of the registration too', async () => {
    const json = await at.registered({ redirect_uris: [CALLBACK] });
    assert.deepEqual([json.token_endpoint_auth_method, json.client_secret_expires_at], ['client_secret_basic', 0]);
    assert.deepEqual(json.grant_types, ['authorization_code'], 'the default of RFC 7591');
    const auth = basic(json.client_id, json.client_secret);
    const code = await at.codeFor(json.client_id);
    assert.equal(
      (await redeem(at.server, code, { ...WITH_VERIFIER }, {})).status,
      401,
      'the verifier alone is not enough',
    );
    assert.equal((await redeem(at.server, code, WITH_VERIFIER, { auth })).status, 200);
    const client = await at.server.services.store.findClient('shop', json.client_id);
    const registration = await at.server.services.store.findRegistration('shop', json.client_id);
    const stored = JSON.stringify([client, Buffer.from(registration?.tokenHash ?? []).toString('latin1')]);
    for (const secret of [json.client_secret, json.registration_access_token]) assert(!stored.includes(secret));
    assert.doesNotMatch(at.server.logged(), new RegExp(`${json.client_secret}|${json.registration_access_token}`));
  });

  it('private_key_jwt with keys of its own', async () => {
    const pair = aSigningPair('ES256');
    const jwks = { keys: [pair.publicJwk] };
    const json = await at.registered({ ...PUBLIC, token_endpoint_auth_method: 'private_key_jwt', jwks });
    assert.equal(json.client_secret, undefined);
    const proof = presenting(assertionFor(at.server, pair, { clientId: json.client_id, now: at.clock.now() }));
    assert.equal((await introspect(at.server, { token: 'x', ...proof }, {})).status, 200);
  });

  it('the user is asked each time, and told that nobody has checked who runs the client', async () => {
    const { client_id } = await at.registered();
    for (const _ of [1, 2]) assert(await at.codeFor(client_id));
    const visitor = new Visitor(at.server.base);
    const page = await logIn(visitor, await visitor.follow(requestUrl(at.server, client_id)));
    assert.match(page.text, /registered itself and chose its own name\. Nobody has checked/);
    assert.match(page.text, /sent to assistant\.example/);
  });

  it('off: there is nothing at the address, and discovery has none', async () => {
    assert.equal((await at.register(PUBLIC, { app: 'off' })).status, 404);
    assert.equal((await at.manage(`${at.server.at('off')}/register/x`, 'y')).status, 404);
    const of = async (app: string) =>
      (await get(`${at.server.at(app)}/.well-known/openid-configuration`)).json.registration_endpoint;
    assert.deepEqual(
      [await of('off'), await of('shop'), await of('partners')],
      [undefined, `${at.server.at()}/register`, `${at.server.at('partners')}/register`],
    );
  });

  it('token: only with an initial access token that an operator has made, until it expires or is deleted', async () => {
    const operator = await anOperatorClient(at.server, { role: 'operator' });
    const path = '/applications/partners/initial_access_tokens';
    const made = await withStatus(201, operator.ask('POST', path, { name: 'partner', expires_at: isoIn(3600) }));
    const { id, initial_access_token: token } = made.json;
    for (const wrong of [undefined, 'wrong', `${token}x`, '']) {
      const refused = await at.register(PUBLIC, { app: 'partners', token: wrong });
      assert.deepEqual([refused.status, refused.json.error], [401, 'invalid_token']);
      assert.match(refused.headers.get('www-authenticate') ?? '', /^Bearer /);
    }
    assert.equal((await at.register(PUBLIC, { app: 'shop', token })).status, 401, 'of another application');
    const { client_id } = await at.registered(PUBLIC, { app: 'partners', token });
    const [event] = await at.server.services.store.listEvents(
      { types: ['client.created'] },
      { after: undefined, limit: 1 },
    );
    assert.deepEqual(
      [event?.actor, event?.clientId, event?.details],
      [{ kind: 'client', id: client_id }, client_id, { origin: 'dynamic_registration', initial_access_token: id }],
    );
    const listed = await operator.ask('GET', path);
    assert.deepEqual(
      listed.json.items.map(({ name }: { name: string }) => name),
      ['partner'],
    );
    assert(!listed.text.includes(token));
    at.clock.advance(3601);
    assert.equal((await at.register(PUBLIC, { app: 'partners', token })).status, 401, 'expired');
    const second = (await operator.ask('POST', path, { name: 'second' })).json;
    assert.equal((await operator.ask('DELETE', `${path}/${second.id}`)).status, 204);
    assert.equal((await at.register(PUBLIC, { app: 'partners', token: second.initial_access_token })).status, 401);
    const types = ['initial_access_token.created', 'initial_access_token.deleted'] as const;
    assert.equal((await at.server.services.store.listEvents({ types }, { after: undefined, limit: 9 })).length, 3);
  });

  it('invalid_redirect_uri and invalid_client_metadata name what is wrong (section 3.2.2)', async () => {
    for (const redirect_uris of [
      ['javascript:alert(1)'],
      ['http://assistant.example/cb'],
      ['https://assistant.example/*'],
      [],
      undefined,
      CALLBACK,
    ]) {
      assertRefusal(
        await at.register({ ...PUBLIC, redirect_uris }),
        'invalid_redirect_uri',
        JSON.stringify(redirect_uris),
      );
    }
    for (const fields of [
      { token_endpoint_auth_method: 'nonsense' },
      { token_endpoint_auth_method: 'private_key_jwt' },
      { grant_types: ['client_credentials'] },
      { grant_types: [] },
      { grant_types: 'authorization_code' },
      { response_types: ['token'] },
      { client_name: 'a\nb' },
      { client_name: 7 },
      { scope: 'unknown:scope' },
      { jwks: { keys: [{ kty: 'oct', k: 'x' }] } },
      { jwks_uri: 'file:///etc/passwd' },
    ]) {
      assertRefusal(await at.register({ ...PUBLIC, ...fields }), 'invalid_client_metadata', JSON.stringify(fields));
    }
    for (const body of [[], 'x', 7, null]) assertRefusal(await at.register(body), 'invalid_redirect_uri');
    const { json } = await at.register({ ...PUBLIC, grant_types: ['password'] });
    assert.match(json.error_description, /grant_types: must have authorization_code/);
  });

  it('a device that has no browser registers without an address, and gets no code by one (section 2)', async () => {
    const grant_types = ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'];
    const device = { client_name: 'Frame', grant_types, token_endpoint_auth_method: 'none', response_types: [] };
    const { status, json } = await at.register(device);
    assert.deepEqual([status, json.grant_types], [201, grant_types]);
    await withStatus(200, post(`${at.server.at()}/device_authorization`, { client_id: json.client_id }));
    const redirected = await get(
      `${at.server.at()}/auth?response_type=code&client_id=${json.client_id}&redirect_uri=${CALLBACK}`,
    );
    assert.equal(redirected.status, 400);
  });

  it('a client registers types of the hybrid flow, in any order of their words, and gets those alone (section 2)', async () => {
    const types = {
      grant_types: ['authorization_code', 'implicit'],
      response_types: ['id_token code', 'none', 'token'],
    };
    const { json } = await withStatus(201, at.register({ ...PUBLIC, ...types }));
    assert.deepEqual([json.grant_types, json.response_types], [['authorization_code'], ['code id_token', 'none']]);
    const asked = (response_type: string) =>
      get(
        `${at.server.at()}/auth?${new URLSearchParams({
          ...{ response_type, client_id: json.client_id, redirect_uri: CALLBACK, scope: 'openid', nonce: 'n' },
          ...{ code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', code_challenge_method: 'S256' },
        })}`,
      );
    assert.match((await asked('code id_token')).headers.get('location') ?? '', /\/login\?/);
    assert.equal((await asked('code')).status, 400);
  });

  it('a software statement is refused where no issuer of them is trusted (section 2.3)', async () => {
    const unapproved = await at.register({
      ...PUBLIC,
      software_statement: 'eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJ4In0.c2ln',
    });
    assertRefusal(unapproved, 'unapproved_software_statement');
    for (const software_statement of ['x', 'a.b.', {}, 7]) {
      assertRefusal(await at.register({ ...PUBLIC, software_statement }), 'invalid_software_statement');
    }
  });

  it('the body is JSON', async () => {
    await withStatus(415, post(`${at.server.at()}/register`, { redirect_uris: CALLBACK }));
  });

  it('browsers of every origin can register (CORS), and then use the token endpoint from their own', async () => {
    const origin = 'https://assistant.example';
    const preflight = await send(`${at.server.at()}/register`, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' },
    });
    assert.equal(preflight.headers.get('access-control-allow-origin'), '*');
    assert.match(preflight.headers.get('access-control-allow-headers') ?? '', /Content-Type/);
    const answered = await at.register(PUBLIC, { headers: { origin, ...elsewhere() } });
    assert.equal(answered.headers.get('access-control-allow-origin'), '*');
    assert.equal(answered.headers.get('access-control-allow-credentials'), null);
    const token = await post(`${at.server.at()}/token`, { grant_type: 'x' }, { headers: { origin } });
    assert.equal(token.headers.get('access-control-allow-origin'), origin);
  });
});

const isoIn = (seconds: number) => new Date((at.clock.now() + seconds) * 1000).toISOString();
