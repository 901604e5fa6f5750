import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { noteDetails } from '../../../src/oauth/authorization-details/token-details.ts';
import { sql } from '../../../src/platform/store/sql.ts';
import { basic, introspect, redeem } from '../../build/client.ts';
import { delivered } from '../../build/delivered.ts';
import { aClient, anApplication, aUser } from '../../build/fixture.ts';
import { anOperatorClient } from '../../build/operator.ts';
import { aPayment, PAY, payApis } from '../../build/payments.ts';
import { press, signedIn } from '../../build/people.ts';
import { suitePart } from '../../build/suite-part.ts';
import { suiteServer } from '../../build/test-server.ts';
import { authorizationUrl } from '../../build/visitor.ts';

/** A sum and a payee are personal data: they go with the person, not at the end of the token. */
for (const store of ['SQLite', 'PostgreSQL'] as const) {
  describe(`authorization details of access tokens go with their owner (RFC 9396 section 13), on ${store}`, () => {
    const shop = (client_id: string) => aClient({ client_id, scope: 'openid pay:status' });
    const server = suiteServer({
      store,
      applications: [
        anApplication({
          apis: payApis,
          clients: [aClient(), shop('shop'), shop('other'), aClient({ client_id: 'pay-api', apis: [PAY] })],
        }),
      ],
      users: [aUser(), aUser({ username: 'bob', email: 'bob@example.com', phone_number: null })],
    });
    const operator = suitePart(() => anOperatorClient(server));

    async function tokenOf(username: string, client_id: string): Promise<string> {
      const visitor = await signedIn(server, username);
      const page = await visitor.follow(
        authorizationUrl(server, {
          ...{ client_id, scope: 'openid' },
          authorization_details: JSON.stringify([aPayment({ reference: `${username} ${client_id}` })]),
        }),
      );
      const { code } = delivered(await press(visitor, page, 'allow')).fields;
      return (await redeem(server, code, {}, { auth: basic(client_id, 'web-secret-1') })).json.access_token;
    }
    const stored = async () =>
      (await server.services.store.cold.read(sql`SELECT details FROM token_details`))
        .map(({ details }) => JSON.parse(details as string)[0].reference)
        .toSorted();
    const seen = async (access: string) =>
      (await introspect(server, { token: access }, { auth: basic('pay-api', 'web-secret-1') })).json;

    it('a client that is deleted, then a user: what others have stays', async () => {
      const kept = await tokenOf('alice', 'shop');
      for (const [username, client] of [
        ['alice', 'other'],
        ['bob', 'shop'],
        ['bob', 'other'],
      ] as const) {
        await tokenOf(username, client);
      }
      assert.deepEqual(await stored(), ['alice other', 'alice shop', 'bob other', 'bob shop']);
      assert.equal((await operator.ask('DELETE', '/applications/shop/clients/other')).status, 204);
      assert.deepEqual(await stored(), ['alice shop', 'bob shop']);
      const bob = await server.services.store.findAccount('bob');
      assert.equal((await operator.ask('DELETE', `/users/${bob?.sub}`)).status, 204);
      assert.deepEqual(await stored(), ['alice shop']);
      assert.equal((await seen(kept)).authorization_details[0].reference, 'alice shop');
    });

    it('a user who is deleted while a token is issued leaves none behind', async () => {
      const { services } = server;
      const token = { hash: Buffer.alloc(32, 7), expiresAt: services.clock.now() + 60 };
      const owner = { sub: 'nobody', clientId: 'shop' };
      await noteDetails(services, 'shop', token, owner, [aPayment({ reference: 'late' })]);
      assert.deepEqual(await stored(), ['alice shop']);
    });
  });
}
