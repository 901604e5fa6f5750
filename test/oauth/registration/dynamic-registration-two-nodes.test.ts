import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CALLBACK, PUBLIC, requestUrl, WITH_VERIFIER } from '../../build/assistant.ts';
import { assertRefused, basic, get, introspect, isActive, redeem, refresh } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { createMigratedDatabase, stopOwnServer } from '../../build/postgres.ts';
import { suitePart } from '../../build/suite-part.ts';
import { withStatus } from '../../build/with-status.ts';
import { openRegistration, type RegistrationFixture } from './registration-fixture.ts';

const REFRESHING = { ...PUBLIC, grant_types: ['authorization_code', 'refresh_token'] };

/** Two servers on one PostgreSQL: a load balancer sends the first request of a new client to a node that has never seen it. */
describe('dynamic registration on two nodes', () => {
  const database = suitePart(createMigratedDatabase, async ({ drop }) => {
    await drop();
    await stopOwnServer();
  });
  const clock = fixedClock();
  const node = (users?: []) =>
    suitePart(
      () => openRegistration({ clock, databaseUrl: database.url, ...(users && { users }) }),
      ({ server }) => server.close(),
    );
  const [first, second] = [node(), node([])];

  const ways = [
    [first, second],
    [second, first],
  ] as const;
  /** The registration_client_uri of a client, at this node. */
  const at = ({ server }: RegistrationFixture, uri: string) => `${server.base}${new URL(uri).pathname}`;

  it('a client that registered at one node signs a user in at the other at once, and its code is good at both', async () => {
    for (const [here, there] of ways) {
      const { client_id } = await here.registered(REFRESHING);
      const code = await there.codeFor(client_id);
      const set = await withStatus(200, redeem(there.server, code, { client_id, ...WITH_VERIFIER }, {}));
      await withStatus(200, refresh(here.server, set.json.refresh_token, { client_id }, {}));
    }
  });

  it('its first request to the other node may be any other one: the code, its secret, its registration', async () => {
    for (const [here, there] of ways) {
      const { client_id } = await here.registered();
      await withStatus(200, redeem(there.server, await here.codeFor(client_id), { client_id, ...WITH_VERIFIER }, {}));
      const secret = await here.registered({ redirect_uris: [CALLBACK] });
      const auth = basic(secret.client_id, secret.client_secret);
      assert.equal((await introspect(there.server, { token: 'x' }, { auth })).status, 200);
      const wrong = basic(secret.client_id, `${secret.client_secret}x`);
      assertRefused(await introspect(there.server, { token: 'x' }, { auth: wrong }), 401, 'invalid_client');
      const { registration_client_uri: uri, registration_access_token: token } = await here.registered();
      assert.equal((await there.manage(at(there, uri), token)).status, 200);
      assert.equal((await there.manage(at(there, uri), `${token}x`)).status, 401);
    }
  });

  it('a client that deletes itself at one node gets nothing from the other, and its tokens end at both', async () => {
    for (const [here, there] of ways) {
      const { client_id, ...json } = await here.registered(REFRESHING);
      const set = await redeem(there.server, await there.codeFor(client_id), { client_id, ...WITH_VERIFIER }, {});
      const code = await there.codeFor(client_id);
      const { registration_client_uri: uri, registration_access_token: token } = json;
      assert.equal((await here.manage(at(here, uri), token, 'DELETE')).status, 204);
      // The other node may still know the client, and then its tokens are dead all the same.
      for (const [{ server }, status, error] of [
        [there, 400, 'invalid_grant'],
        [here, 401, 'invalid_client'],
      ] as const) {
        assertRefused(await redeem(server, code, { client_id, ...WITH_VERIFIER }, {}), 400, 'invalid_grant');
        assertRefused(await refresh(server, set.json.refresh_token, { client_id }, {}), status, error);
        assert.equal(await isActive(server, set.json.access_token), false);
      }
      assert.equal((await there.manage(at(there, uri), token)).status, 401);
    }
  });

  it('a changed redirect address counts at the other node too', async () => {
    for (const [here, there] of ways) {
      const { client_id, ...json } = await here.registered();
      const { registration_client_uri: uri, registration_access_token: token } = json;
      const statusOf = async (redirect_uri: string) => {
        return (await get(requestUrl(there.server, client_id, { redirect_uri }))).status;
      };
      assert.equal(await statusOf(CALLBACK), 302);
      const redirect_uris = [`${CALLBACK}/new`];
      await withStatus(200, here.manage(at(here, uri), token, 'PUT', { ...PUBLIC, client_id, redirect_uris }));
      // What the job does at every change (jobs/).
      await there.server.services.registry.refresh();
      assert.equal(await statusOf(CALLBACK), 400);
      assert.equal(await statusOf(`${CALLBACK}/new`), 302);
    }
  });
});
