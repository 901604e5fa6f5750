import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { aPkcePair, basic, claimsOf, redeem, userinfo } from '../build/client.ts';
import { gatehouseReading } from '../build/command.ts';
import { delivered } from '../build/delivered.ts';
import { suiteServer } from '../build/test-server.ts';
import { signIn } from '../build/visitor.ts';

const README = readFileSync(fileURLToPath(new URL('../../README.md', import.meta.url)), 'utf8');

describe('the example of README.md', () => {
  const [, file = ''] = /```yaml\n([\s\S]*?)```/.exec(README) ?? [];
  const redirect_uri = 'https://shop.example/callback';
  const { verifier, challenge } = aPkcePair();
  let secret: string;
  const server = suiteServer({ applications: [], users: [] });
  before(async () => {
    const { out, err } = await gatehouseReading(server, file, 'apply', '-');
    secret = /client shop\/shop-web: client_secret (\S+) \(generated/.exec(out)?.[1] ?? assert.fail(`${out}${err}`);
    await server.services.registry.refresh();
  });

  const tokens = async (proofs: Record<string, string>, auth?: string) => {
    const pkce = { code_challenge: challenge, code_challenge_method: 'S256' };
    const seen = await signIn(server, { client_id: 'shop-web', redirect_uri, scope: 'openid profile email', ...pkce });
    const { code = '' } = delivered(seen, redirect_uri).fields;
    return redeem(server, code, { redirect_uri, ...proofs }, auth === undefined ? {} : { auth });
  };

  it('signs alice in, with what oauth2-proxy and next-auth need: a verified address and a name', async () => {
    const { json } = await tokens({ code_verifier: verifier }, basic('shop-web', secret));
    const info = (await userinfo(server, json.access_token)).json;
    for (const claims of [claimsOf(json.id_token), info]) {
      assert.deepEqual(
        [claims.email_verified, claims.name, typeof claims.updated_at],
        [true, 'Alice Example', 'number'],
      );
      assert(!('nickname' in claims), 'what is unset is left out');
    }
  });

  it('takes neither the verifier nor the secret alone', async () => {
    assert.equal((await tokens({ code_verifier: verifier })).status, 401);
    assert.equal((await tokens({}, basic('shop-web', secret))).status, 400);
  });
});
