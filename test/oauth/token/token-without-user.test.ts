import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { UNBOUND } from '../../../src/oauth/proof-of-possession/binding.ts';
import { type ClientIssue, planAccessToken, tokenSet } from '../../../src/oauth/token/issue.ts';
import { assertRefused, aTokenSet, basic, claimsOf, introspect, userinfo } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { aClient } from '../../build/fixture.ts';
import { suiteServer } from '../../build/test-server.ts';

const SECRET = 'web-secret-1';

describe('a token without a user (RFC 9068 section 2.2)', () => {
  const clock = fixedClock();
  const clients = [aClient(), aClient({ client_id: 'jwt', access_token_format: 'jwt' })];
  const server = suiteServer({ clock, clients });

  const issueTo = async (clientId: string): Promise<ClientIssue> => {
    const { services } = server;
    const application = await services.registry.application('shop');
    const client = await services.registry.client('shop', clientId);
    assert(application && client);
    const access = planAccessToken(services, application, UNBOUND, undefined);
    return { subject: 'client', application, client, scope: ['email'], access };
  };

  it('comes without ID token and refresh token (RFC 6749 section 4.4.3)', async () => {
    const issue = await issueTo('web');
    const answer = JSON.parse(JSON.stringify(await tokenSet(server.services, issue)));
    assert.deepEqual(answer, {
      access_token: issue.access.value,
      expires_in: 3600,
      token_type: 'Bearer',
      scope: 'email',
    });
  });

  it('has, as a JWT, the client_id as sub and no auth_time', async () => {
    const issue = await issueTo('jwt');
    const { access_token } = await tokenSet(server.services, issue);
    const { jti, ...claims } = claimsOf(access_token as string);
    const iat = clock.now();
    const issuer = server.at();
    const expected = { iss: issuer, aud: issuer, sub: 'jwt', client_id: 'jwt', scope: 'email' };
    assert.deepEqual(claims, { ...expected, iat, exp: iat + 3600 });
    assert.equal(jti, Buffer.from(issue.access.stored.hash).toString('base64url'));
  });

  it('is refused at userinfo where a client is registered under the sub of a user (RFC 9068 section 5; row 54)', async () => {
    const { sub } = claimsOf((await aTokenSet(server)).id_token);
    await server.provision({ clients: [aClient(), aClient({ client_id: sub })] });
    const sending = { auth: basic(sub, SECRET) };
    const { access_token } = await aTokenSet(server, {}, sending);
    const seen = await introspect(server, { token: access_token }, sending);
    assert.deepEqual([seen.json.active, seen.json.sub, seen.json.client_id], [true, sub, sub]);
    assertRefused(await userinfo(server, access_token), 403, 'insufficient_scope');
  });
});
