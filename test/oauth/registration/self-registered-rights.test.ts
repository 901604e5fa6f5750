import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deleteUnusedClients } from '../../../src/oauth/registration/job.ts';
import { CALLBACK, changeRegistration, METADATA, type Registered, registered } from '../../build/assistant.ts';
import { basic, isActive, redeem, token } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { delivered } from '../../build/delivered.ts';
import { aClient } from '../../build/fixture.ts';
import { anOperatorClient } from '../../build/operator.ts';
import { atLogoutQuestion, press } from '../../build/people.ts';
import { suitePart } from '../../build/suite-part.ts';
import { suiteServer } from '../../build/test-server.ts';
import { formWith, query, signIn, Visitor } from '../../build/visitor.ts';
import { withStatus } from '../../build/with-status.ts';

/** What a client that nobody has vouched for may do beside getting tokens, and what it cannot undo of operators. */
const API = 'https://api.shop.example';
const clock = fixedClock();

const apis = [{ identifier: API, name: 'Orders', scopes: { 'orders:read': 'Read your orders' } }];
const clients = [aClient(), aClient({ client_id: 'jwt', access_token_format: 'jwt' })];
const server = suiteServer({
  clock,
  env: { TRUSTED_PROXIES: '127.0.0.1' },
  shop: { dynamic_registration: 'open', apis, clients },
});
const owner = suitePart(() => anOperatorClient(server));

const replace = (client: Registered) => changeRegistration(client, { ...METADATA, client_name: 'Renamed' });
const path = ({ client_id }: Registered) => `/applications/shop/clients/${client_id}`;
const authOf = ({ client_id, client_secret }: Registered) => ({ auth: basic(client_id, client_secret) });

describe('a self-registered client', () => {
  it('attack: learns nothing of the tokens of other clients at introspection, and sees its own (RFC 7662 section 4)', async () => {
    const stranger = await registered(server, METADATA);
    for (const [clientId, secret] of [
      ['web', 'web-secret-1'],
      ['jwt', 'web-secret-1'],
    ] as const) {
      const { code } = delivered(await signIn(server, { client_id: clientId })).fields;
      const { access_token } = (await redeem(server, code, {}, { auth: basic(clientId, secret) })).json;
      assert.equal(await isActive(server, access_token), true, clientId);
      assert.equal(await isActive(server, access_token, authOf(stranger)), false, clientId);
    }
    const visitor = new Visitor(server.base);
    const page = await signIn(
      server,
      { client_id: stranger.client_id, redirect_uri: CALLBACK, scope: 'openid' },
      { visitor },
    );
    const { code } = delivered(await press(visitor, page, 'allow'), CALLBACK).fields;
    const own = (await redeem(server, code, { redirect_uri: CALLBACK }, authOf(stranger))).json.access_token;
    assert.equal(await isActive(server, own, authOf(stranger)), true);
    assert.equal(await isActive(server, own), true, 'a resource server of the application');
  });

  it('attack: the logout endpoint is no open redirector for whoever registers an address (RFC 9700 section 4.11)', async () => {
    const over = { post_logout_redirect_uris: [`${CALLBACK}/bye`] };
    const stranger = await registered(server, { ...METADATA, ...over });
    const tokensIn = async (visitor: Visitor) => {
      const request = { client_id: stranger.client_id, redirect_uri: CALLBACK, scope: 'openid' };
      const page = await signIn(server, request, { visitor });
      const { code } = delivered(await press(visitor, page, 'allow'), CALLBACK).fields;
      return (await redeem(server, code, { redirect_uri: CALLBACK }, authOf(stranger))).json;
    };
    const logOut = (visitor: Visitor, fields: Record<string, string> = {}) => {
      const request = { client_id: stranger.client_id, post_logout_redirect_uri: `${CALLBACK}/bye`, ...fields };
      return visitor.go(`${server.at()}/logout?${query(request)}`);
    };
    const visitor = new Visitor(server.base);
    const { id_token } = await tokensIn(visitor);
    const victim = new Visitor(server.base);
    assert.doesNotMatch((await logOut(victim)).location ?? '', /assistant/, 'whom nobody knows');
    const withHint = await logOut(victim, { id_token_hint: id_token });
    assert.doesNotMatch(withHint.location ?? '', /assistant/, 'with an ID token of the attacker');
    const own = await logOut(visitor, { id_token_hint: id_token, state: 's' });
    assert.equal(own.location, `${CALLBACK}/bye?state=s`, 'with an ID token of the session that ends');
    await tokensIn(visitor);
    const question = await visitor.follow((await logOut(visitor)).location ?? '');
    assert(atLogoutQuestion(question), question.text);
    const left = await visitor.send(formWith(question, 'pending'), {});
    assert.doesNotMatch(left.location ?? left.text, /assistant/, 'nor after the question, which does not name it');
  });

  it('replaces its metadata, and nothing that only operators set (RFC 7592 section 2.2)', async () => {
    const client = await registered(server, METADATA);
    const set = { access_token_format: 'jwt', apis: [API], refresh_token_rotation: false };
    assert.equal((await owner.ask('PATCH', path(client), set)).status, 200);
    await withStatus(200, replace(client));
    const { client_name, access_token_format, apis, refresh_token_rotation } = (await owner.ask('GET', path(client)))
      .json;
    assert.deepEqual(
      { client_name, access_token_format, apis, refresh_token_rotation },
      { client_name: 'Renamed', ...set },
    );
  });

  it('does not bring back a secret that an operator replaces at the same time', async () => {
    for (let round = 0; round < 5; round++) {
      const client = await registered(server, METADATA);
      const [rotated] = await Promise.all([
        owner.ask('POST', `${path(client)}/secrets`, {}),
        ...Array.from({ length: 5 }, () => replace(client)),
      ]);
      assert.equal(rotated.status, 201, rotated.text);
      const { client_secret: secret } = rotated.json;
      const { status } = await token(
        server,
        { grant_type: 'refresh_token', refresh_token: 'x' },
        { auth: basic(client.client_id, secret) },
      );
      assert.equal(status, 400, 'authenticated by the new secret');
    }
  });

  it('is taken over by an operator who gives it a grant that asks no user: it is kept, and changes itself no more', async () => {
    const client = await registered(server, METADATA);
    const given = await owner.ask('PATCH', path(client), { grant_types: ['client_credentials'], scope: 'orders:read' });
    assert.deepEqual([given.status, given.json.origin], [200, undefined], given.text);
    assert.equal((await replace(client)).status, 401);
    clock.advance(91 * 86_400);
    await deleteUnusedClients(server.services, () => false);
    await withStatus(200, token(server, { grant_type: 'client_credentials' }, authOf(client)));
  });
});
