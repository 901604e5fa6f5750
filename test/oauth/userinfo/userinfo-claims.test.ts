import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aTokenSet, basic, claimsOf, userinfo } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { delivered } from '../../build/delivered.ts';
import { aClient, anApplication, aUser, PASSWORD } from '../../build/fixture.ts';
import { suiteServer } from '../../build/test-server.ts';
import { type Fields, signIn, Visitor } from '../../build/visitor.ts';

/** The moment the fixed clock starts at. */
const UPDATED = { text: '2027-01-15 08:00:00', number: 1_800_000_000 };
const grant_types = ['authorization_code', 'refresh_token', 'password', 'implicit'] as const;
const clients = [
  aClient({ grant_types: [...grant_types] }),
  aClient({ client_id: 'standard', grant_types: [...grant_types], userinfo_claims: 'standard' }),
];
const DOCUMENTED = {
  ...{ preferred_username: 'bare', nickname: '', updated_at: UPDATED.text },
  ...{ phone_number: '', phone_number_verified: false },
};
const STANDARD = { preferred_username: 'bare', updated_at: UPDATED.number };

describe('userinfo_claims of a client (row 61; OIDC Core 5.1 and 5.3.2)', () => {
  const clock = fixedClock(UPDATED.number);
  const server = suiteServer({
    clock,
    applications: [
      anApplication({ clients }),
      anApplication({ code: 'strict', name: 'Strict', strict_oidc: true, clients }),
    ],
    users: [aUser(), { username: 'bare', password: PASSWORD }],
  });

  const tokens = (client: string, app: string) =>
    aTokenSet(server, { username: 'bare' }, { auth: basic(client, 'web-secret-1') }, app);
  const claims = async (client: string, app = 'shop') => {
    const { sub, ...rest } = (await userinfo(server, (await tokens(client, app)).access_token, app)).json;
    return rest;
  };

  it('is documented unless it is set: updated_at is text, and what is unset is empty (interface 2)', async () => {
    assert.deepEqual(await claims('web'), DOCUMENTED);
  });

  it('standard gives a typed client what it can read: a number, and no empty claims (zitadel/oidc, Rust openidconnect, Auth.js)', async () => {
    assert.deepEqual(await claims('standard'), STANDARD);
  });

  it('standard gives the claims of the scopes, and no others', async () => {
    const set = await aTokenSet(server, { scope: 'openid email' }, { auth: basic('standard', 'web-secret-1') });
    const { sub, ...rest } = (await userinfo(server, set.access_token)).json;
    assert.deepEqual(rest, { email: 'alice@example.com', email_verified: true });
  });

  it('is standard for every client under strict_oidc', async () => {
    for (const client of ['web', 'standard']) assert.deepEqual(await claims(client, 'strict'), STANDARD);
  });

  it('changes with the client at once, also for tokens that were issued before', async () => {
    const { access_token } = await tokens('standard', 'shop');
    const other = clients.map(client => ({ ...client, userinfo_claims: 'documented' as const }));
    await server.provision({ clients: other });
    assert.equal((await userinfo(server, access_token)).json.updated_at, UPDATED.text);
    await server.provision({ clients });
    assert.equal((await userinfo(server, access_token)).json.updated_at, UPDATED.number);
  });

  it('holds for claims that a request names one by one (OIDC Core 5.5)', async () => {
    const visitor = new Visitor(server.base);
    const wish = { userinfo: { updated_at: null, nickname: null } };
    const fields = { response_type: 'id_token token', nonce: 'n', scope: 'openid', claims: JSON.stringify(wish) };
    for (const [client_id, expected] of [
      ['web', { updated_at: UPDATED.text, nickname: '' }],
      ['standard', { updated_at: UPDATED.number }],
    ] as const) {
      const { access_token } = delivered(await bare(visitor, { ...fields, client_id })).fields;
      const { sub, ...rest } = (await userinfo(server, access_token ?? '')).json;
      assert.deepEqual(rest, expected, client_id);
    }
  });

  it('an ID token has the standard claims in every dialect, from each flow', async () => {
    const visitor = new Visitor(server.base);
    for (const app of ['shop', 'strict']) {
      for (const client_id of ['web', 'standard']) {
        const seen = await bare(visitor, { client_id, response_type: 'id_token', nonce: 'n' }, app);
        const { id_token } = delivered(seen).fields;
        assert.deepEqual(profileOf(id_token ?? ''), STANDARD, `${app} ${client_id}, response_type=id_token`);
        if (app === 'strict') continue;
        assert.deepEqual(profileOf((await tokens(client_id, app)).id_token), STANDARD, `${client_id}, token endpoint`);
      }
    }
  });

  const bare = (visitor: Visitor, fields: Fields, app?: string) =>
    signIn(server, fields, { visitor, username: 'bare', ...(app === undefined ? {} : { app }) });
});

/** The claims about the person. */
function profileOf(idToken: string) {
  const { iss, sub, aud, azp, iat, exp, auth_time, amr, sid, nonce, at_hash, acr, ...rest } = claimsOf(idToken);
  return rest;
}
