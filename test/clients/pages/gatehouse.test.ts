import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { parse } from 'yaml';
import { aPkcePair, basic, claimsOf, redeem, userinfo } from '../../build/client.ts';
import { logIn } from '../../build/people.ts';
import { type Provisioned, suiteServer } from '../../build/test-server.ts';
import { answerIn, authorizationUrl, Visitor } from '../../build/visitor.ts';
import { buttonOf } from '../../people/federation/federated.ts';
import { blocksOf, readPage } from './page.ts';

describe('docs/clients/gatehouse.md', () => {
  const none = { applications: [], users: [] };
  const first = suiteServer(none);
  const second = suiteServer({ ...none, env: { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1' } });
  before(async () => {
    const [there = '', here = ''] = blocksOf(readPage('gatehouse')).map(({ text }) =>
      text.replaceAll('http://localhost:3000', first.base).replaceAll('http://localhost:4000', second.base),
    );
    await first.provision(parse(there) as Provisioned);
    await second.provision(parse(here) as Provisioned);
  });

  it('signs alice in at the second with her account at the first', async () => {
    const stock = { base: second.base, at: () => second.at('stock') };
    const pkce = aPkcePair();
    const redirect_uri = 'https://stock.example.com/callback';
    const asked = { client_id: 'stock-web', redirect_uri, scope: 'openid profile email groups' };
    const here = new Visitor(second.base);
    const proof = { code_challenge: pkce.challenge, code_challenge_method: 'S256' };
    const page = await here.follow(authorizationUrl(stock, { ...asked, ...proof }));
    assert.match(page.text, /Continue with Shop/);
    const gone = await here.send(buttonOf(page, 'shop'));
    const there = new Visitor(first.base);
    const back = await logIn(there, await there.follow(gone.location ?? ''));
    const { code } = answerIn(await here.follow(back.location ?? ''));
    const proved = { redirect_uri, code_verifier: pkce.verifier };
    const { json } = await redeem(stock, code, proved, { auth: basic('stock-web', 'replace-this-secret-too') });
    const { preferred_username, name, email, email_verified, groups, amr } = {
      ...(await userinfo(stock, json.access_token)).json,
      ...claimsOf(json.id_token),
    };
    assert.deepEqual(
      { preferred_username, name, email, email_verified, groups, amr },
      {
        ...{ preferred_username: 'alice', name: 'Alice Example', email: 'alice@example.com', email_verified: true },
        ...{ groups: ['partners'], amr: ['fed'] },
      },
    );
  });
});
